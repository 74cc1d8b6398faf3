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

    /**
     * In the order that moves least: sums first, which leave less to send, then exchanges, gathers last. Exchanges along several
     * dimensions at once are one collective among all their ranks, named {@code ep+tp}.
     */
    List<Collective> collectives(LoweringContext context) {
        List<Collective> moves = new ArrayList<>();
        List<String> dims = context.activeDims();
        TensorLayout now = from;
        for (String dim : dims) {
            if (now.on(dim) instanceof Spread.Partial && !(to.on(dim) instanceof Spread.Partial)) {
                CollectiveKind kind =
                        Resharding.between(now.on(dim), to.on(dim)).orElseThrow();
                moves.add(new Collective(kind, dim, bytes(now, context)));
                now = now.with(dim, to.on(dim));
            }
        }
        List<String> exchanged = dims.stream().filter(this::exchanges).toList();
        if (!exchanged.isEmpty()) {
            moves.add(new Collective(CollectiveKind.ALL_TO_ALL, String.join("+", exchanged), bytes(now, context)));
            for (String dim : exchanged) {
                now = now.with(dim, to.on(dim));
            }
        }
        for (String dim : dims) {
            Optional<CollectiveKind> kind = Resharding.between(now.on(dim), to.on(dim));
            now = now.with(dim, to.on(dim));
            if (kind.isPresent()) {
                moves.add(new Collective(kind.get(), dim, gathered(kind.get(), now, context)));
            }
        }
        return moves;
    }

    /** Whether a dimension's slices change hands. */
    boolean exchanges(String dim) {
        return Resharding.between(from.on(dim), to.on(dim)).equals(Optional.of(CollectiveKind.ALL_TO_ALL));
    }

    /** Likewise; what products of few bits gather is cast before, where the framework does so. */
    private long gathered(CollectiveKind kind, TensorLayout whole, LoweringContext context) {
        boolean cast = kind == CollectiveKind.ALL_GATHER
                && tensor.element() == Tensor.Element.COMPUTE
                && context.precision().isCast()
                && context.framework().kernels().castGathers();
        long bytes = bytes(whole, context);
        return cast ? bytes / context.precision().beside().bytes * context.precision().bytes : bytes;
    }

    /** The whole buffer: the result of a gather, else the operand. */
    private long bytes(TensorLayout whole, LoweringContext context) {
        int each = ElementBytes.of(tensor.element(), context.precision());
        return Math.multiplyExact(whole.localElements(tensor, context), each);
    }
}
