package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/** What the busiest rank does, one slot after another: the bound of a free schedule. */
final class BusiestRank {
    private BusiestRank() {}

    static long nanos(PricedProgram program) {
        Schedule schedule = program.schedule();
        long best = 0;
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            long busy = program.head()[rank] + program.reduceTail()[rank];
            for (long slot : schedule.slotsOf(rank)) {
                int stage = Schedule.stage(slot);
                busy += switch (Schedule.phase(slot)) {
                    case Schedule.F -> program.forward()[stage] + blocking(program, stage, stage + 1);
                    case Schedule.B -> program.backward()[stage] + blocking(program, stage, stage - 1);
                    default -> program.weight()[stage];
                };
            }
            for (int stage = 0; stage < schedule.stages(); stage++) {
                busy += schedule.rankOf(stage) == rank ? program.lastBackward()[stage] - program.backward()[stage] : 0;
            }
            best = Math.max(best, busy);
        }
        return best;
    }

    /** A send that is part of its slot: where it blocks, and the next stage is another rank's. */
    private static long blocking(PricedProgram program, int stage, int next) {
        Schedule schedule = program.schedule();
        boolean none = next < 0 || next == schedule.stages() || schedule.rankOf(next) == schedule.rankOf(stage);
        if (none || !program.sendsBlock()) {
            return 0;
        }
        return next > stage ? program.sendForward()[stage] : program.sendBackward()[stage];
    }
}
