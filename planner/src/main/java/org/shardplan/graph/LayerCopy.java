package org.shardplan.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A layer inside a block of another kind: a module behind the last layer, a vision tower before the first. Its operators and tensors
 * are named {@code label:name}; tensors that several blocks share keep their names.
 *
 * @param label for example {@code mtp.1}
 * @param given tensors of the block that stand for those of the layer, by the layer's name
 */
record LayerCopy(String label, Map<String, Tensor> given) {
    /** Ends the label in a name. */
    static final char MARK = ':';

    List<Operator> of(List<Operator> layer) {
        List<Operator> copies = new ArrayList<>();
        for (Operator operator : layer) {
            copies.add(operator.with(new LoopNest(
                    label + MARK + operator.name(),
                    operator.axes(),
                    operator.inputs().stream().map(this::of).toList(),
                    operator.parameters().stream().map(this::of).toList(),
                    of(operator.output()))));
        }
        return copies;
    }

    private Tensor of(Tensor tensor) {
        Tensor stands = given.get(tensor.name());
        if (stands != null) {
            return stands;
        }
        return Block.isShared(tensor)
                ? tensor
                : new Tensor(label + MARK + tensor.name(), tensor.kind(), tensor.element(), tensor.extents());
    }
}
