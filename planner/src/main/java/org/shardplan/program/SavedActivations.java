package org.shardplan.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Contraction;
import org.shardplan.graph.CrossEntropy;
import org.shardplan.graph.Extent;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Pointwise;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;
import org.shardplan.program.BlockProgram.SavedTensor;

/**
 * What the backward pass needs of the forward pass and therefore keeps, each tensor once, in the layout in which it was made
 * (Megatron keeps the sequence shard and gathers it again).
 *
 * <p>Under "selective" what {@link SelectiveRecompute} makes again is not kept, but what that reads is. What the framework's unfused
 * code keeps besides is added.
 *
 * <p>For GPT layers with unfused attention and dropout this is Korthikanti et al. 2022, equations 1, 2 and 4:
 * sbh(34 + 5as/h) bytes, sbh(10 + 24/t + 5as/(ht)) with tensor parallelism, and all of it over t with sequence parallelism.
 */
final class SavedActivations {
    private final Map<String, Fragment> fragments;
    private final Map<String, Fragment> producers = new LinkedHashMap<>();
    private final Placement boundary;
    private final LoweringContext context;

    SavedActivations(Map<String, Fragment> fragments, Placement boundary, LoweringContext context) {
        this.fragments = fragments;
        this.boundary = boundary;
        this.context = context;
        fragments
                .values()
                .forEach(fragment -> producers.put(fragment.operator().output().name(), fragment));
    }

    List<SavedTensor> all(@Nullable SelectiveRecompute selective) {
        Map<String, SavedTensor> saved = new LinkedHashMap<>();
        for (Fragment fragment : fragments.values()) {
            Operator operator = fragment.operator();
            operator.saved().forEach(tensor -> keep(saved, tensor, fragment, selective));
            if (operator.output().kind() == Tensor.Kind.CARRIED) {
                put(saved, operator.output().name(), bytes(operator.output(), fragment.written()));
            }
            if (selective != null && selective.share(operator) > 0) {
                operator.inputs().forEach(tensor -> keep(saved, tensor, fragment, selective));
            }
            if (operator instanceof Attention attention) {
                boolean recomputed = selective != null && (selective.attentionCore() || selective.share(operator) > 0);
                put(saved, attention.name() + ".internal", recomputed ? 0 : internalBytes(attention, fragment));
            }
            copies(saved, fragment, selective);
        }
        return new ArrayList<>(saved.values());
    }

    private void keep(
            Map<String, SavedTensor> saved, Tensor tensor, Fragment reader, @Nullable SelectiveRecompute selective) {
        if (tensor.kind() == Tensor.Kind.CARRIED) {
            return; // where it was made
        }
        double share = selective == null ? 1 : selective.kept(tensor);
        if (isCast(tensor)) {
            share *= context.precision().bytes / 2.0;
        }
        if (share > 0) {
            put(saved, tensor.name(), (long) Math.ceil(share * bytes(tensor, reader)));
        }
    }

    /** Whether products alone read it, which keep it as they cast it. */
    private boolean isCast(Tensor tensor) {
        return context.precision().isCast()
                && tensor.element() == Tensor.Element.COMPUTE
                && fragments.values().stream()
                        .map(Fragment::operator)
                        .filter(operator -> operator.inputs().contains(tensor)
                                || operator.saved().contains(tensor))
                        .allMatch(operator -> operator instanceof Contraction
                                && operator.inputs().contains(tensor));
    }

    /**
     * What stays from the input gradients to the weight gradients of a micro-batch: of each product with weights its input and the
     * gradient of its output, of the embedding the latter. For GPT layers 32sbh bytes (Qi et al. 2023, table 1).
     */
    List<SavedTensor> keptForWeights() {
        Map<String, SavedTensor> kept = new LinkedHashMap<>();
        for (Fragment fragment : fragments.values()) {
            Operator operator = fragment.operator();
            if (!fragment.backwardWeight().isEmpty()) {
                if (operator instanceof Contraction) {
                    operator.inputs().forEach(tensor -> keep(kept, tensor, fragment, null));
                }
                put(kept, operator.output().name() + ".grad", bytes(operator.output(), fragment.outputGradient()));
            }
        }
        return new ArrayList<>(kept.values());
    }

    private static void put(Map<String, SavedTensor> saved, String name, long bytes) {
        saved.putIfAbsent(name, new SavedTensor(name, bytes));
    }

    /** What unfused code keeps besides: {@link org.shardplan.workload.Workspace#COPIES}. */
    private void copies(Map<String, SavedTensor> saved, Fragment fragment, @Nullable SelectiveRecompute selective) {
        Set<String> copies = context.framework().memory().workspace().copies();
        Operator operator = fragment.operator();
        boolean again = selective != null && selective.share(operator) > 0;
        if (operator instanceof Pointwise pointwise
                && pointwise.function() == Pointwise.Function.GATED_ACTIVATION
                && copies.contains("activated-gate")
                && !again) {
            put(saved, operator.name() + ".gate", bytes(operator.output(), fragment));
        }
        if (operator instanceof Attention attention
                && attention.inputs().size() == 1
                && (selective == null || selective.kept(input(attention)) > 0)) {
            put(saved, attention.name() + ".copies", copiedKeys(attention, fragment, copies));
        }
        if (selective != null && operator.name().equals("mlp.out") && copies.contains("selective-mlp-out") && !again) {
            put(saved, operator.output().name(), bytes(operator.output(), fragment));
        }
    }

    private static Tensor input(Attention attention) {
        return attention.inputs().getFirst();
    }

    private long copiedKeys(Attention attention, Fragment fragment, Set<String> copies) {
        Extent heads = input(attention).extents().getLast();
        double queries = heads.parts().getFirst().count();
        double keyHeads = heads.parts().getLast().count();
        double keysAndValues = 2 * SelectiveRecompute.keyShare(input(attention)) * bytes(input(attention), fragment);
        boolean all = queries == keyHeads;
        double twice = copies.contains("keys-values") && all ? keysAndValues : 0;
        double repeated = copies.contains("repeated-keys") ? keysAndValues * (queries / keyHeads - 1) : 0;
        return (long) Math.ceil(twice + repeated);
    }

    /**
     * The layout in which a tensor is kept: as its producer leaves it, or as its reader gets it where that is a partial sum, or where
     * slices change hands on the way (experts keep the tokens that they were sent).
     */
    TensorLayout keptLayout(Tensor tensor, Fragment reader) {
        Fragment producer = producers.get(tensor.name());
        TensorLayout read = TensorLayout.read(tensor, reader.placement(), context.activeDims());
        if (producer == null) {
            return BlockLowering.boundaryOf(tensor, boundary, context);
        }
        boolean partial = producer.written().spreads().containsValue(Spread.PARTIAL);
        Edge edge = new Edge(tensor, producer.written(), read);
        boolean exchanged = context.activeDims().stream().anyMatch(edge::exchanges);
        return partial || exchanged ? read : producer.written();
    }

    long bytes(Tensor tensor, Fragment reader) {
        Operator operator = reader.operator();
        boolean internal = !reader.read().containsKey(tensor.name()) && tensor != operator.output();
        TensorLayout layout = internal
                ? TensorLayout.read(tensor, reader.placement(), context.activeDims())
                : keptLayout(tensor, reader);
        return operator instanceof CrossEntropy
                        && tensor.element() == Tensor.Element.FLOAT32
                        && tensor != operator.output()
                ? Math.multiplyExact(
                        elements(tensor, layout),
                        context.framework().memory().workspace().lossKeptBytes())
                : bytes(tensor, layout);
    }

    long bytes(Tensor tensor, TensorLayout layout) {
        return Math.multiplyExact(elements(tensor, layout), ElementBytes.of(tensor.element(), context.precision()));
    }

    /** Elements of a tensor on one rank, of a whole micro-batch. */
    long elements(Tensor tensor, TensorLayout layout) {
        return layout.localElements(tensor, context);
    }

    /** Flash attention keeps one 32-bit number a query and head; unfused attention keeps scores, and with dropout more. */
    private long internalBytes(Attention attention, Fragment fragment) {
        if (context.flashAttention()) {
            return 4 * queries(attention, fragment);
        }
        long scores = scoreBytes(attention, fragment);
        // softmax output 2, then with dropout its mask 1 and its result 2
        return attention.dropout() ? scores / 2 * 5 : scores;
    }

    /** One matrix of 16-bit scores; 0 where they are never in memory. */
    long scoreBytes(Attention attention, Fragment fragment) {
        return context.flashAttention() ? 0 : Math.multiplyExact(2 * queries(attention, fragment), attention.keys());
    }

    /** Queries of all heads on one rank. */
    private long queries(Attention attention, Fragment fragment) {
        TensorLayout layout = TensorLayout.read(attention.output(), fragment.placement(), context.activeDims());
        long queries = attention.output().extents().get(1).local(layout.degreeOf("seq", context.meshSizes()));
        long degree = layout.degreeOf("heads", context.meshSizes());
        long heads = Math.ceilDiv(
                attention.output().extents().getLast().parts().getFirst().count(), degree);
        return Math.multiplyExact(heads * queries, context.microBatch());
    }
}
