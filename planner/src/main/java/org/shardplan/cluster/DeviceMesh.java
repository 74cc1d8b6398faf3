package org.shardplan.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * The devices of a plan as an ordered list of atomic factors, outermost first; the order is the placement.
 *
 * <p>A dimension ({@code dp}, {@code tp}, {@code ep}) is a view over consecutive factors. Dense and expert operators may
 * use different views of the same ranks.
 */
public final class DeviceMesh {
    private final List<Factor> factors;

    private DeviceMesh(List<Factor> factors) {
        this.factors = List.copyOf(factors);
    }

    /** A mesh of named sizes, outermost first; strides follow. */
    public static DeviceMesh of(List<String> names, List<Integer> sizes) {
        List<Factor> factors = new ArrayList<>();
        int stride = 1;
        for (int i = names.size() - 1; i >= 0; i--) {
            factors.addFirst(new Factor(names.get(i), sizes.get(i), stride));
            stride = Math.multiplyExact(stride, sizes.get(i));
        }
        return new DeviceMesh(factors);
    }

    public List<Factor> factors() {
        return factors;
    }

    public int devices() {
        return factors.stream().mapToInt(Factor::size).reduce(1, Math::multiplyExact);
    }

    public Factor get(String name) {
        for (Factor factor : factors) {
            if (factor.name().equals(name)) {
                return factor;
            }
        }
        // data and context ranks are a view over two factors where experts split them
        return switch (name) {
            case "dp" -> view(name, "edp", "ep");
            case "cp" -> view(name, "ecp", "epc");
            default -> new Factor(name, 1, 1);
        };
    }

    private Factor view(String name, String outer, String inner) {
        int size = size(outer) * size(inner);
        return size > 1 ? new Factor(name, size, get(inner).stride()) : new Factor(name, 1, 1);
    }

    public int size(String name) {
        return get(name).size();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DeviceMesh mesh && mesh.factors.equals(factors);
    }

    @Override
    public int hashCode() {
        return factors.hashCode();
    }

    /** For example {@code pp=8 dp=16 tp=8}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Factor factor : factors) {
            text.append(text.isEmpty() ? "" : " ")
                    .append(factor.name())
                    .append('=')
                    .append(factor.size());
        }
        return text.toString();
    }
}
