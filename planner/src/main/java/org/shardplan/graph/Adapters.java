package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * LoRA (Hu et al. 2021, arXiv:2106.09685): all weights of a network are frozen, and beside linear layers of its blocks stand two narrow
 * trained products, whose sum with the frozen one takes its place. Operators {@code name.down}, {@code name.up}, {@code name.sum}.
 */
public final class Adapters {
    private static final Set<String> ATTENTION = Set.of(
            "qkv",
            "qk",
            "q",
            "q.up",
            "q.down",
            "kv.up",
            "kv.down",
            "attention.gate",
            "attention.out",
            "ssm.in",
            "ssm.out");
    private static final Set<String> MLP = Set.of("mlp.in", "mlp.out", "mlp.shared.in", "mlp.shared.out");

    private final Extent rank;
    private final boolean everyLinear;

    private Adapters(int rank, boolean everyLinear) {
        this.rank = Extent.of("rank", rank);
        this.everyLinear = everyLinear;
    }

    /**
     * The network with adapters.
     *
     * @param rank width of each adapter
     * @param everyLinear also beside the MLP's products; those of routed experts have none
     */
    public static OperatorGraph add(OperatorGraph graph, int rank, boolean everyLinear) {
        Adapters adapters = new Adapters(rank, everyLinear);
        List<Block> blocks = graph.blocks().stream()
                .map(block -> new Block(block.name(), block.kind(), block.repeat(), adapters.operators(block)))
                .toList();
        return new OperatorGraph(graph.name(), blocks);
    }

    private List<Operator> operators(Block block) {
        List<Operator> operators = new ArrayList<>();
        for (Operator operator : block.operators()) {
            Operator frozen = frozen(operator);
            if (block.kind() == Block.Kind.LAYER && frozen instanceof Contraction product && isTarget(product)) {
                beside(product, operators);
            } else {
                operators.add(frozen);
            }
        }
        return operators;
    }

    private boolean isTarget(Contraction product) {
        return product.isLinear()
                && (ATTENTION.contains(product.name()) || everyLinear && MLP.contains(product.name()));
    }

    private static Operator frozen(Operator operator) {
        List<Tensor> parameters =
                operator.parameters().stream().map(Tensor::frozen).toList();
        return operator.with(
                new LoopNest(operator.name(), operator.axes(), operator.inputs(), parameters, operator.output()));
    }

    private void beside(Contraction product, List<Operator> operators) {
        String name = product.name();
        Tensor input = product.inputs().getFirst();
        Tensor output = product.output();
        Tensor base = Tensor.activation(name + ".frozen", output.extents().toArray(Extent[]::new));
        operators.add(product.with(new LoopNest(name, product.axes(), product.inputs(), product.parameters(), base)));
        Extent in = input.extents().getLast();
        Extent out = output.extents().getLast();
        Tensor narrow = Tensor.activation(
                name + ".narrow", input.extents().getFirst(), input.extents().get(1), rank);
        operators.add(Contraction.linear(
                name + ".down", input, in, rank, false, Tensor.parameter(name + ".down.weight", in, rank), narrow));
        Tensor wide = Tensor.activation(name + ".adapted", output.extents().toArray(Extent[]::new));
        operators.add(Contraction.linear(
                name + ".up", narrow, rank, out, false, Tensor.parameter(name + ".up.weight", rank, out), wide));
        List<Axis> axes = output.extents().stream()
                .map(extent -> new Axis(extent, extent.name().equals("batch") ? AxisRole.SAMPLE : AxisRole.ATTRIBUTE))
                .toList();
        LoopNest sum = new LoopNest(name + ".sum", axes, List.of(base, wide), List.of(), output);
        operators.add(new Pointwise(sum, Pointwise.Function.ADD, false));
    }
}
