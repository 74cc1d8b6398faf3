package org.shardplan.program;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Extent;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.CollectiveKind;
import org.shardplan.program.Task.Stream;

/**
 * Attention whose queries are split over context ranks: its kernels, and how the keys and values of the other ranks come.
 *
 * <p>Keys and values lie as their producer leaves them, a part of the sequence on each rank; the loop over keys needs all of them. From sharded to
 * replicated is an all-gather: done before attention, and again before its gradient, where the sum of the parts' gradients is a
 * reduce-scatter (Llama 3, section 3.3.2); or as a ring of as many steps as there are ranks, in which each part moves on beside attention on
 * the part that came before (Liu et al. 2023, Ring Attention; Transformer Engine, AttnFuncWithCPAndKVP2P). A ring sends (cp - 1)/cp of all
 * keys and values forward, and twice that backward: the parts once more, and their gradients.
 *
 * <p>Balanced, a rank has one chunk from either end of the sequence: in every step but the first it meets a causal half, of keys or of
 * queries. Each rank then computes a cp-th of all scores; else the last rank computes most, and all wait for it.
 */
final class AttentionSteps {
    /** Tensors that an addition in place moves: two read, one written. */
    private static final int MERGED = 3;

    private final Attention attention;
    private final Placement placement;
    private final LoweringContext context;
    private final String dims;
    private final int ranks;
    /** Tokens of a sequence, and those of them that a rank has queries of. */
    private final long seq;

    private final long own;
    private final long keyBytes;

    AttentionSteps(Attention attention, Placement placement, LoweringContext context) {
        this.attention = attention;
        this.placement = placement;
        this.context = context;
        List<String> split = LoweringContext.CONTEXT_DIMS.stream()
                .filter(dim -> context.size(dim) > 1 && placement.axisOf(dim).equals("seq"))
                .toList();
        dims = String.join("+", split);
        ranks = split.stream().mapToInt(context::size).reduce(1, Math::multiplyExact);
        seq = attention.keys();
        own = attention.output().extents().get(1).local(ranks);
        keyBytes = bytes(keys());
    }

    /** Keys and values: the last part of what attention reads. */
    private Tensor keys() {
        List<Extent> extents = attention.inputs().getLast().extents();
        Extent heads = extents.getLast();
        Extent last = new Extent("heads", List.of(heads.parts().getLast()), 1);
        return Tensor.activation(attention.name() + ".keys", extents.get(0), extents.get(1), last);
    }

    private long bytes(Tensor tensor) {
        TensorLayout layout = TensorLayout.read(tensor, placement, context.activeDims());
        return Math.multiplyExact(
                layout.localElements(tensor, context), ElementBytes.of(tensor.element(), context.precision()));
    }

    /** Whether keys and values come from other ranks. */
    boolean exchanges() {
        return ranks > 1;
    }

    /** All kernels of a pass. */
    List<Kernel> kernels(boolean backward) {
        List<Kernel> all = new ArrayList<>();
        int steps = context.ring() ? ranks : 1;
        for (int step = 0; step < steps; step++) {
            all.addAll(cores(step, backward));
            all.addAll(merges(step, backward));
        }
        return all;
    }

    private List<Kernel> cores(int step, boolean backward) {
        boolean balanced = context.framework().sharding().balancedContext() || !attention.causal();
        if (ranks == 1) {
            return List.of(core(own, attention.averageKeys(), seq, backward));
        }
        if (context.ring()) {
            double keys = !attention.causal() ? own : step == 0 ? (own + 1) / 2.0 : balanced ? own / 2.0 : own;
            return List.of(core(own, keys, own, backward));
        }
        if (!balanced) {
            double last = seq - (own - 1) / 2.0;
            double keys = attention.window() > 0 ? Math.min(attention.window(), last) : last;
            return List.of(core(own, keys, seq, backward));
        }
        // one launch for each of the rank's chunks, which meet as many keys on average as all queries do
        Kernel chunk = core(Math.ceilDiv(own, 2), attention.averageKeys(), seq, backward);
        return List.of(chunk, chunk);
    }

    private Kernel core(long queries, double keys, long span, boolean backward) {
        long heads = Math.ceilDiv(
                attention.output().extents().getLast().parts().getFirst().count(), degree("heads"));
        return new Kernel.AttentionCore(
                attention.name() + (backward ? ".grad" : ""),
                context.microBatch(),
                heads,
                queries,
                keys,
                span,
                attention.headDim(),
                context.flashAttention(),
                backward,
                context.framework().kernels().fusedSoftmax(),
                attention.dropout(),
                context.precision().beside());
    }

    /** From the second step of a ring on its result, or its gradients, are added to those before. */
    private List<Kernel> merges(int step, boolean backward) {
        if (ranks == 1 || !context.ring() || step == 0) {
            return List.of();
        }
        long queries = bytes(attention.output());
        long bytes = MERGED * (backward ? queries + keyBytes : queries);
        return List.of(new Kernel.MemoryBound(attention.name() + (backward ? ".grad.merge" : ".merge"), bytes, 1));
    }

    private long degree(String axis) {
        long degree = 1;
        for (String dim : placement.axisToDims().getOrDefault(axis, List.of())) {
            degree *= context.size(dim);
        }
        return degree;
    }

    /** Bytes of what comes from other ranks, beside what a rank has of its own: gathered, or a part that is at work and one on its way. */
    long bufferBytes() {
        if (ranks == 1) {
            return 0;
        }
        return 2 * (context.ring() ? 2 : ranks) * keyBytes;
    }

    /** Queues the forward pass behind {@code waits}. */
    void forward(TaskList tasks, List<Integer> waits) {
        String id = attention.name() + "/F";
        if (!context.ring()) {
            List<Integer> all = new ArrayList<>(waits);
            all.add(collective(tasks, id, CollectiveKind.ALL_GATHER, ranks * keyBytes));
            tasks.kernels(id, kernels(false), all);
            return;
        }
        List<Integer> ready = waits;
        for (int step = 0; step < ranks; step++) {
            List<Integer> next = step == ranks - 1
                    ? List.of()
                    : List.of(collective(tasks, id + "/" + (step + 1), CollectiveKind.SEND, keyBytes));
            tasks.kernels(id + "/" + step, cores(step, false), ready);
            tasks.kernels(id + "/" + step, merges(step, false), List.of());
            ready = next;
        }
    }

    /** Queues the backward pass behind {@code waits}; gives what its readers wait for. */
    List<Integer> backward(TaskList tasks, List<Integer> waits) {
        String id = attention.name() + "/B";
        if (!context.ring()) {
            List<Integer> all = new ArrayList<>(waits);
            all.add(collective(tasks, id, CollectiveKind.ALL_GATHER, ranks * keyBytes));
            tasks.kernels(id, kernels(true), all);
            return List.of(collective(tasks, id, CollectiveKind.REDUCE_SCATTER, ranks * keyBytes));
        }
        List<Integer> ready = waits;
        for (int step = 0; step < ranks; step++) {
            // a part goes on to the next rank, and with it from the second step on the gradient of the part before
            long parts = (step < ranks - 1 ? 1 : 0) + (step > 0 ? 1 : 0);
            List<Integer> next =
                    List.of(collective(tasks, id + "/" + (step + 1), CollectiveKind.SEND, parts * keyBytes));
            tasks.kernels(id + "/" + step, cores(step, true), ready);
            tasks.kernels(id + "/" + step, merges(step, true), step == 0 ? List.of() : next);
            ready = next;
        }
        return List.of();
    }

    private int collective(TaskList tasks, String id, CollectiveKind kind, long bytes) {
        return tasks.collective(id + "/" + kind + "/" + dims, new Collective(kind, dims, bytes), Stream.CONTEXT);
    }
}
