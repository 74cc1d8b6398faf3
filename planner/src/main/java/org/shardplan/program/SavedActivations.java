package org.shardplan.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;
import org.shardplan.program.BlockProgram.SavedTensor;

/**
 * What the backward pass needs of the forward pass and therefore keeps, each tensor once, in the layout in which it was made
 * (Megatron keeps the sequence shard and gathers it again).
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

    List<SavedTensor> all(boolean selective) {
        Map<String, SavedTensor> saved = new LinkedHashMap<>();
        for (Fragment fragment : fragments.values()) {
            for (Tensor tensor : fragment.operator().saved()) {
                saved.putIfAbsent(tensor.name(), new SavedTensor(tensor.name(), bytes(tensor, fragment)));
            }
            if (fragment.operator() instanceof Attention attention) {
                boolean recomputed = selective
                        && context.framework().memory().recomputeSelective().contains("attention-core");
                long internal = recomputed && !context.flashAttention() ? 0 : internalBytes(attention, fragment);
                saved.put("attention.internal", new SavedTensor("attention.internal", internal));
            }
        }
        return new ArrayList<>(saved.values());
    }

    /** The layout in which a tensor is kept: as its producer leaves it, or as its reader gets it where that is a partial sum. */
    TensorLayout keptLayout(Tensor tensor, Fragment reader) {
        Fragment producer = producers.get(tensor.name());
        TensorLayout read = TensorLayout.read(tensor, reader.placement(), context.activeDims());
        if (producer == null) {
            return BlockLowering.boundaryOf(tensor, boundary, context);
        }
        boolean partial = producer.written().spreads().containsValue(Spread.PARTIAL);
        return partial ? read : producer.written();
    }

    long bytes(Tensor tensor, Fragment reader) {
        Operator operator = reader.operator();
        boolean internal = !reader.read().containsKey(tensor.name()) && tensor != operator.output();
        TensorLayout layout = internal
                ? TensorLayout.read(tensor, reader.placement(), context.activeDims())
                : keptLayout(tensor, reader);
        return bytes(tensor, layout);
    }

    long bytes(Tensor tensor, TensorLayout layout) {
        long elements = layout.localElements(tensor, context.meshSizes());
        return Math.multiplyExact(
                elements * ElementBytes.of(tensor.element(), context.precision()), context.microBatch());
    }

    /** Flash attention keeps one 32-bit number a query and head; unfused attention keeps scores, and with dropout more. */
    private long internalBytes(Attention attention, Fragment fragment) {
        long seq = attention.output().extents().get(1).size();
        long degree = TensorLayout.read(attention.output(), fragment.placement(), context.activeDims())
                .degreeOf("heads", context.meshSizes());
        long heads = Math.ceilDiv(
                attention.output().extents().getLast().parts().getFirst().count(), degree);
        long queries = Math.multiplyExact(heads * seq, context.microBatch());
        if (context.flashAttention()) {
            return 4 * queries;
        }
        // softmax output 2, then with dropout its mask 1 and its result 2
        return Math.multiplyExact(queries, seq * (attention.dropout() ? 5 : 2));
    }
}
