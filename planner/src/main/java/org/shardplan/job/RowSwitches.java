package org.shardplan.job;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.shardplan.form.Row;
import org.shardplan.workload.Framework;
import org.shardplan.workload.Mixture;

/** What a row says was switched on in its framework, put into the framework's statements. Blank leaves them as they are. */
final class RowSwitches {
    /** Megatron's {@code --recompute-modules} and the words of other sources, in those of {@link Framework.Memory#RECOMPUTED}. */
    private static final Map<String, Set<String>> MODULES = Map.of(
            "core_attn", Set.of("attention-core"),
            "mla_up_proj", Set.of("latent-up", "rotary"),
            "mlp", Set.of("mlp-in", "mlp-out"),
            "moe_act", Set.of("experts-activation"),
            "act", Set.of("experts-activation"),
            "layernorm", Set.of("norm"),
            "norm", Set.of("norm"));

    private RowSwitches() {}

    /** @throws RowSkip for a word that is not known */
    static void check(Row row) throws RowSkip {
        Row.Switches switches = row.software().switches();
        one("cuda_graph", switches.cudaGraph(), Mixture.Graphs.values(), Mixture.Graphs::text);
        one("moe_dispatcher", switches.dispatcher(), Mixture.Dispatcher.values(), Mixture.Dispatcher::text);
        RowSizes.yes("ep_overlap", switches.exchangeOverlap());
        RowSizes.yes("tp_overlap", switches.tensorOverlap());
        for (String module : modules(row)) {
            if (!MODULES.containsKey(module)) {
                throw new RowSkip("recompute_modules has " + module + ", which is not known");
            }
        }
    }

    /** Of a row that was checked. */
    static Framework apply(Framework framework, Row row) {
        Row.Switches switches = row.software().switches();
        Mixture mixture = framework.mixture();
        Framework.Overlap overlap = framework.overlap();
        Framework.Memory memory = framework.memory();
        for (Mixture.Graphs graphs : Mixture.Graphs.values()) {
            mixture = graphs.text().equals(switches.cudaGraph()) ? mixture.with(graphs) : mixture;
        }
        for (Mixture.Dispatcher dispatcher : Mixture.Dispatcher.values()) {
            mixture = dispatcher.text().equals(switches.dispatcher()) ? mixture.with(dispatcher) : mixture;
        }
        if (!switches.exchangeOverlap().isEmpty()) {
            mixture = mixture.withExchangeOverlap(isOn(switches.exchangeOverlap()));
        }
        if (!switches.tensorOverlap().isEmpty()) {
            overlap = overlap.withTensor(overlap.weightGradientOverlap(), isOn(switches.tensorOverlap()));
        }
        Set<String> modules = new TreeSet<>();
        for (String module : modules(row)) {
            modules.addAll(MODULES.getOrDefault(module, Set.of()));
        }
        if (!modules.isEmpty()) {
            memory = memory.withRecomputeSelective(modules);
        }
        return framework.with(mixture).with(overlap).with(memory);
    }

    private static boolean isOn(String cell) {
        return cell.equals("yes") || cell.equals("true") || cell.equals("1");
    }

    private static List<String> modules(Row row) {
        String text = row.software().recomputeModules().strip();
        return text.isEmpty() ? List.of() : List.of(text.split("\\s*;\\s*"));
    }

    private static <T> void one(String column, String cell, T[] values, Function<T, String> text) throws RowSkip {
        if (!cell.isEmpty() && Arrays.stream(values).map(text).noneMatch(cell::equals)) {
            throw new RowSkip(column + " is \"" + cell + "\", none of "
                    + String.join(", ", Arrays.stream(values).map(text).toList()));
        }
    }
}
