package org.shardplan.cost;

import org.shardplan.program.GroupPattern;
import org.shardplan.workload.Framework;

/**
 * What a rank does before its first and after its last slot.
 *
 * @param headSeconds parameter gathers that nothing hides, and by how much the hidden ones slow the forward pass
 * @param reduceSeconds reductions of gradients that do not overlap the backward pass
 * @param optimizerSeconds the update, host work, and gathers of updated parameters that are not left to the next step
 * @param gatherSeconds these gathers, a part of {@code optimizerSeconds}
 */
public record RankTails(double headSeconds, double reduceSeconds, double optimizerSeconds, double gatherSeconds) {

    /**
     * Tails of a rank.
     *
     * @param elements trained elements that it holds before ZeRO
     * @param expertElements of these, those of experts that not all data ranks hold
     * @param firstBlockElements of the block that runs first
     * @param partialElements whose gradients are summed over tensor ranks
     */
    public static RankTails of(
            long elements,
            long expertElements,
            long firstBlockElements,
            long partialElements,
            int zero,
            DataGroups data,
            GroupPattern tensor,
            ProgramPricer pricer,
            Framework framework) {
        boolean gatherLater = framework.overlap().parameterGather();
        boolean gathers = zero == 1 || zero == 2;
        double gather = gathers ? pricer.data().gatherSeconds(elements - expertElements, expertElements, data) : 0;
        double head = 0;
        if (gathers && gatherLater) {
            double first = pricer.data().gatherSeconds(firstBlockElements, data.dense());
            head = first + framework.overlap().interference() * Math.max(0, gather - first);
        }
        double reduce = pricer.tensorPartialSeconds(partialElements, tensor);
        if (zero < 2 && !framework.overlap().gradientReduce()) {
            reduce += pricer.data().reduceSeconds(elements - expertElements, expertElements, zero, data);
        }
        double update = pricer.optimizer().seconds(elements - expertElements, expertElements, zero, data)
                + framework.host().stepSeconds();
        double exposed = gatherLater ? 0 : gather;
        return new RankTails(head, reduce, update + exposed, exposed);
    }
}
