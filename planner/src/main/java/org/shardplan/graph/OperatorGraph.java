package org.shardplan.graph;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A network: blocks in a chain, repeats kept as repeats.
 *
 * <p>Sizes are those of one global batch: the axis {@code batch} has the extent 1 and stands for one sample; lowering
 * multiplies by the micro-batch.
 *
 * @param name the model's name
 * @param blocks in order of execution
 */
public record OperatorGraph(String name, List<Block> blocks) {

    public OperatorGraph {
        blocks = List.copyOf(blocks);
        if (blocks.isEmpty()) {
            throw new IllegalArgumentException("graph " + name + " has no blocks");
        }
    }

    /** Trained elements, a shared tensor once; padding counts where the graph was built with it. */
    public long parameterElements() {
        Set<String> seen = new HashSet<>();
        long elements = 0;
        for (Block block : blocks) {
            for (Tensor parameter : block.parameters().values()) {
                if (!Block.isShared(parameter)) {
                    elements += Math.multiplyExact(parameter.elements(), block.repeat());
                } else if (seen.add(parameter.name())) {
                    elements += parameter.elements();
                }
            }
        }
        return elements;
    }

    /** Whether a router passes over some of its parameters. */
    public boolean isSparse() {
        return blocks.stream()
                .flatMap(block -> block.parameters().values().stream())
                .anyMatch(parameter -> parameter.indexedBy("expert"));
    }

    /**
     * Trained elements that one token meets, {@link #parameterElements} without the experts that a router passes over. The
     * embedding's table counts whole.
     */
    public long activeParameterElements() {
        double idle = 0;
        for (Block block : blocks) {
            double share = chosenShare(block);
            for (Tensor parameter : block.parameters().values()) {
                if (parameter.indexedBy("expert")) {
                    idle += (1 - share) * block.repeat() * parameter.elements();
                }
            }
        }
        return parameterElements() - Math.round(idle);
    }

    /** Experts of a token over all, from the axes of the router's choice; 1 where there is none. */
    private static double chosenShare(Block block) {
        for (Operator operator : block.operators()) {
            if (operator instanceof Pointwise choice && choice.function() == Pointwise.Function.TOP_K) {
                double all = choice.inputs().getFirst().extents().getLast().size();
                return choice.output().extents().getLast().size() / all;
            }
        }
        return 1;
    }

    /** Repeats of the layer blocks together: what pipeline stages share out. */
    public int layers() {
        return blocks.stream()
                .filter(block -> block.kind() == Block.Kind.LAYER)
                .mapToInt(Block::repeat)
                .sum();
    }
}
