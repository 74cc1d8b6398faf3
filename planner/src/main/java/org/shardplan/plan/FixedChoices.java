package org.shardplan.plan;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What {@code --fix} pins; a key that is absent is searched. Keys are those of {@link Shorthand}.
 *
 * @param tp tensor-parallel degree
 * @param pp pipeline ranks
 * @param vpp chunks a rank
 * @param dp data-parallel degree
 * @param microBatch sequences of one micro-batch
 * @param sequenceParallel sp
 * @param zero stage 0 to 3
 * @param recompute memory policy
 * @param schedule generator of the schedule table
 * @param order mesh order
 * @param layout layers of each virtual stage
 * @param fullRecomputeByStage layers recomputed in full on each rank
 * @param ep ranks that share out the experts
 * @param etp ranks that split an expert
 * @param cp ranks that share out each sequence
 * @param contextType how attention gets keys of other ranks
 * @param replicas groups of ranks that each hold all that ZeRO shards
 */
public record FixedChoices(
        OptionalInt tp,
        OptionalInt pp,
        OptionalInt vpp,
        OptionalInt dp,
        OptionalInt microBatch,
        Optional<Boolean> sequenceParallel,
        OptionalInt zero,
        Optional<Recompute> recompute,
        Optional<ScheduleKind> schedule,
        Optional<MeshOrder> order,
        Optional<List<Integer>> layout,
        Optional<List<Integer>> fullRecomputeByStage,
        OptionalInt ep,
        OptionalInt etp,
        OptionalInt cp,
        Optional<ContextParallel.Type> contextType,
        OptionalInt replicas) {

    /** Nothing is fixed. */
    public static final FixedChoices NONE = new FixedChoices(
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalInt.empty());

    /** Whether the plan keeps to every fixed key. */
    public boolean allows(Shorthand plan) {
        return same(tp, plan.tp())
                && same(pp, plan.pp())
                && same(vpp, plan.vpp())
                && same(dp, plan.dp())
                && same(microBatch, plan.microBatch())
                && same(sequenceParallel, plan.sequenceParallel())
                && same(zero, plan.zero())
                && same(recompute, plan.recompute())
                && same(schedule, plan.schedule())
                && same(order, plan.order())
                && same(layout, plan.layout())
                && same(fullRecomputeByStage, plan.fullRecomputeByStage())
                && same(ep, plan.ep())
                && same(etp, plan.etp())
                && same(cp, plan.cp())
                && (plan.cp() == 1 || same(contextType, plan.context().type()))
                && same(replicas, plan.replicas());
    }

    private static boolean same(OptionalInt fixed, int value) {
        return fixed.isEmpty() || fixed.getAsInt() == value;
    }

    private static <T> boolean same(Optional<T> fixed, T value) {
        return fixed.isEmpty() || fixed.get().equals(value);
    }
}
