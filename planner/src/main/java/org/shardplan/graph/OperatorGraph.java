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

    /** Repeats of the layer blocks together: what pipeline stages share out. */
    public int layers() {
        return blocks.stream()
                .filter(block -> block.kind() == Block.Kind.LAYER)
                .mapToInt(Block::repeat)
                .sum();
    }
}
