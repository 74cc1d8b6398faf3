package org.shardplan.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.shardplan.graph.Tensor;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.CollectiveKind;

/**
 * What moves when a tensor goes from one layout to another: one collective for each mesh dimension on which they differ.
 * Together with {@link Fragment} the unit of incremental lowering.
 */
record Edge(Tensor tensor, TensorLayout from, TensorLayout to) {

    List<Collective> collectives(LoweringContext context) {
        List<Collective> moves = new ArrayList<>();
        for (String dim : context.activeDims()) {
            Optional<CollectiveKind> kind = Resharding.between(from.on(dim), to.on(dim));
            kind.ifPresent(found -> moves.add(new Collective(found, dim, bytes(found, context))));
        }
        return moves;
    }

    /** The whole buffer: the result of a gather, else the operand. */
    private long bytes(CollectiveKind kind, LoweringContext context) {
        TensorLayout whole = kind == CollectiveKind.ALL_GATHER ? to : from;
        long elements = whole.localElements(tensor, context.meshSizes());
        long bytes = elements * ElementBytes.of(tensor.element(), context.precision());
        return Math.multiplyExact(bytes, context.microBatch());
    }
}
