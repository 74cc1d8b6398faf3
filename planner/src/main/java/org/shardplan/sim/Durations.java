package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.plan.Schedule;

/**
 * Lengths by virtual stage in one form for both ways of sending: a send that blocks becomes part of its slot, what is left of
 * sends runs beside the slots. Reused from program to program.
 */
final class Durations {
    long[] forward = {};
    long[] backward = {};
    long[] lastBackward = {};
    long[] sendForward = {};
    long[] sendBackward = {};

    void load(PricedProgram program) {
        Schedule schedule = program.schedule();
        int stages = schedule.stages();
        if (forward.length < stages) {
            forward = new long[stages];
            backward = new long[stages];
            lastBackward = new long[stages];
            sendForward = new long[stages];
            sendBackward = new long[stages];
        }
        boolean block = program.sendsBlock();
        int rank = stages == 0 ? -1 : schedule.rankOf(0);
        int before = -1;
        for (int stage = 0; stage < stages; stage++) {
            int after = stage + 1 == stages ? -1 : schedule.rankOf(stage + 1);
            long up = after < 0 || after == rank ? 0 : program.sendForward()[stage];
            long down = before < 0 || before == rank ? 0 : program.sendBackward()[stage];
            forward[stage] = program.forward()[stage] + (block ? up : 0);
            backward[stage] = program.backward()[stage] + (block ? down : 0);
            lastBackward[stage] = program.lastBackward()[stage] + (block ? down : 0);
            sendForward[stage] = block ? 0 : up;
            sendBackward[stage] = block ? 0 : down;
            before = rank;
            rank = after;
        }
    }
}
