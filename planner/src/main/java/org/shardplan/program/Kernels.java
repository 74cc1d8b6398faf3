package org.shardplan.program;

import java.util.List;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Axis;
import org.shardplan.graph.AxisRole;
import org.shardplan.graph.Contraction;
import org.shardplan.graph.CrossEntropy;
import org.shardplan.graph.Embedding;
import org.shardplan.graph.Normalization;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Pointwise;
import org.shardplan.graph.Reshape;
import org.shardplan.graph.Rotary;
import org.shardplan.graph.Scan;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;
import org.shardplan.workload.Framework;

/**
 * The kernels that one rank launches for an operator, by phase, with local sizes.
 *
 * <p>Memory-bound kernels count the bytes that they must read and write; how far from that a framework is, its record says.
 */
final class Kernels {
    private final Operator operator;
    private final Placement placement;
    private final LoweringContext context;

    Kernels(Operator operator, Placement placement, LoweringContext context) {
        this.operator = operator;
        this.placement = placement;
        this.context = context;
    }

    List<Kernel> forward() {
        return switch (operator) {
            case Contraction product -> List.of(product(product.name(), rows(), columns(), depth(), inputCastBytes()));
            case Attention attention -> new AttentionSteps(attention, placement, context).kernels(false);
            case Embedding _ -> List.of(memory("", 2 * bytes(operator.output())));
            case Normalization norm -> List.of(memory("", bytes(norm.inputs().getFirst()) + bytes(norm.output())));
            case Pointwise pointwise -> List.of(memory("", pointwiseForwardBytes(pointwise)));
            case Rotary rotary -> List.of(memory("", 2 * bytes(rotary.output())));
            case CrossEntropy entropy -> List.of(memory("", crossEntropyBytes(entropy, false)));
            case Scan scan -> new ScanKernels(scan, degree("heads"), context).forward();
            case Reshape _ -> List.of();
        };
    }

    /** Kernels that make the gradients of the inputs; for operators other than products those of the weights too. */
    List<Kernel> backwardInput() {
        return switch (operator) {
            case Contraction product when product.inputs().getFirst().kind() == Tensor.Kind.INPUT -> List.of();
            case Contraction product ->
                List.of(product(
                        product.name() + ".dgrad",
                        rows(),
                        depth(),
                        columns(),
                        castBytes(groups() * rows() * columns())));
            case Attention attention -> new AttentionSteps(attention, placement, context).kernels(true);
            case Embedding _ -> List.of();
            case Normalization norm ->
                List.of(memory(".grad", 2 * bytes(norm.inputs().getFirst()) + bytes(norm.output())));
            case Pointwise pointwise -> pointwiseBackward(pointwise);
            case Rotary rotary -> List.of(memory(".grad", 2 * bytes(rotary.output())));
            case CrossEntropy entropy -> List.of(memory(".grad", crossEntropyBytes(entropy, true)));
            case Scan scan -> new ScanKernels(scan, degree("heads"), context).backward();
            case Reshape _ -> List.of();
        };
    }

    /** Kernels that make the gradients of the weights alone. */
    List<Kernel> backwardWeight() {
        return switch (operator) {
            case Contraction product
            when product.hasTrainedWeight() -> {
                Kernel weight = product(product.name() + ".wgrad", depth(), columns(), rows(), 0);
                boolean bias = product.parameters().size() > 1;
                long sumBytes = (bias ? bytes(product.output()) : 0) + accumulationBytes();
                int launches = bias || !context.framework().kernels().fusedWeightGradient() ? 1 : 0;
                String name = product.name() + ".wgrad.sum";
                yield sumBytes == 0
                        ? List.of(weight)
                        : List.of(weight, new Kernel.MemoryBound(name, sumBytes, launches));
            }
            case Embedding embedding
            when embedding.parameters().isEmpty()
                    || embedding.parameters().getFirst().isTrained() ->
                List.of(memory(".wgrad", 3 * bytes(embedding.output())));
            case Contraction _,
                    Embedding _,
                    Attention _,
                    Normalization _,
                    Pointwise _,
                    Rotary _,
                    CrossEntropy _,
                    Reshape _,
                    Scan _ -> List.of();
        };
    }

    /**
     * Adding a weight gradient to the gradient buffer, by a kernel of its own or within the product. Where an expert's product is too
     * short to hide it, the buffer is read and written beside it (SimuMax tables, B200: accumulating or not makes 8 or 4 bytes an
     * element of difference, from 128 to 1,024 rows).
     */
    private long accumulationBytes() {
        Framework.Memory memory = context.framework().memory();
        int each = groups() > 1
                ? Math.max(memory.accumulationBytes(), 2 * memory.gradientBytes())
                : memory.accumulationBytes();
        return Math.multiplyExact((long) each, groups() * depth() * columns());
    }

    private Kernel product(String name, long m, long n, long k, long castBytes) {
        return new Kernel.MatrixProduct(name, groups(), m, n, k, context.precision(), castBytes);
    }

    /**
     * Where kernels are fused, the one that makes an input (norm, activation) writes it in the product's format itself; experts' inputs
     * come from other ranks in 16 bits.
     */
    private long inputCastBytes() {
        return groups() == 1 && context.framework().kernels().fusedPointwise()
                ? 0
                : castBytes(groups() * rows() * depth());
    }

    /**
     * Bytes that casting an activation or its gradient moves: 16 bits are read, the format is written twice, as it lies for the product at hand
     * and transposed for the weight gradient (Transformer Engine; casts of weights are kept over micro-batches).
     */
    private long castBytes(long elements) {
        return context.precision().isCast() ? Math.multiplyExact(elements, 2 + 2L * context.precision().bytes) : 0;
    }

    private Kernel memory(String suffix, long bytes) {
        boolean fused = context.framework().kernels().fusedPointwise();
        return new Kernel.MemoryBound(operator.name() + suffix, bytes, fused ? 1 : 2);
    }

    private long pointwiseForwardBytes(Pointwise pointwise) {
        long read = pointwise.inputs().stream().mapToLong(this::bytes).sum();
        long mask = pointwise.dropout() ? bytes(pointwise.mask()) : 0;
        return read + bytes(pointwise.output()) + mask + sortBytes(pointwise);
    }

    /** Of the copies that a dispatch makes or a combine reads, where they are sorted by expert in a pass of their own. */
    private long sortBytes(Pointwise pointwise) {
        int passes = 2 * context.framework().mixture().dispatcher().sorts();
        return switch (pointwise.function()) {
            case DISPATCH -> passes * bytes(pointwise.output());
            case COMBINE -> passes * bytes(pointwise.inputs().getFirst());
            case ACTIVATION, GATED_ACTIVATION, ADD, CONVOLUTION, GATE, SCALE, SOFT_CAP, TOP_K -> 0;
        };
    }

    private List<Kernel> pointwiseBackward(Pointwise pointwise) {
        long output = bytes(pointwise.output());
        long drop = pointwise.dropout() ? 2 * output + bytes(pointwise.mask()) : 0;
        return switch (pointwise.function()) {
            // where a residual forks, its two gradients are added: two reads, one write
            case ADD -> List.of(memory(".grad", drop + 3 * output));
            case SCALE -> List.of(memory(".grad", Math.max(drop, 2 * output)));
            case DISPATCH, COMBINE ->
                List.of(memory(".grad", output + bytes(pointwise.inputs().getFirst()) + sortBytes(pointwise)));
            case ACTIVATION, GATED_ACTIVATION, CONVOLUTION, GATE, SOFT_CAP, TOP_K ->
                List.of(memory(".grad", output + 2 * bytes(pointwise.inputs().getFirst())));
        };
    }

    /**
     * Bytes of the loss: fused, logits are read once and a 32-bit softmax is written; unfused, PyTorch casts, finds the maximum,
     * subtracts, exponentiates and sums in passes of their own (Megatron's vocabulary-parallel cross-entropy).
     */
    private long crossEntropyBytes(CrossEntropy entropy, boolean backward) {
        long logits = elements(entropy.inputs().getFirst());
        boolean fused = context.framework().kernels().fusedCrossEntropy();
        if (backward) {
            return logits * (fused ? 6 : 14);
        }
        return logits * (fused ? 8 : 30);
    }

    private long bytes(Tensor tensor) {
        return Math.multiplyExact(elements(tensor), ElementBytes.of(tensor.element(), context.precision()));
    }

    private long elements(Tensor tensor) {
        TensorLayout layout = TensorLayout.read(tensor, placement, context.activeDims());
        return layout.localElements(tensor, context);
    }

    /** Rows of the product: samples and sequence positions. */
    private long rows() {
        if (operator.nest().findAxis("batch").isEmpty()) {
            return rowsOf(1);
        }
        return rowsOf(context.sequences(
                context.size("ep") == 1 || placement.axisOf("ep").equals("batch")));
    }

    private long rowsOf(long sequences) {
        long rows = sequences;
        for (Axis axis : operator.axes()) {
            boolean row = switch (axis.role()) {
                case SAMPLE, ATTRIBUTE -> true;
                case PARAMETER, REDUCTION -> false;
            };
            if (row && !axis.name().equals("batch")) {
                rows = Math.multiplyExact(rows, local(axis));
            }
        }
        return rows;
    }

    private long columns() {
        return product(AxisRole.PARAMETER) / groups();
    }

    /** Products in one launch, each with operands of its own: loops that index input, weight and result alike. */
    private long groups() {
        long groups = 1;
        for (Axis axis : operator.axes()) {
            if (axis.role() == AxisRole.PARAMETER
                    && operator.inputs().getFirst().indexedBy(axis.name())) {
                groups = Math.multiplyExact(groups, local(axis));
            }
        }
        return groups;
    }

    private long depth() {
        return product(AxisRole.REDUCTION);
    }

    private long product(AxisRole role) {
        long size = 1;
        for (Axis axis : operator.axes()) {
            if (axis.role() == role) {
                size = Math.multiplyExact(size, local(axis));
            }
        }
        return size;
    }

    private long local(Axis axis) {
        return axis.extent().local(degree(axis.name()));
    }

    private long degree(String axis) {
        long degree = 1;
        for (String dim : placement.axisToDims().getOrDefault(axis, List.of())) {
            degree *= context.size(dim);
        }
        return degree;
    }
}
