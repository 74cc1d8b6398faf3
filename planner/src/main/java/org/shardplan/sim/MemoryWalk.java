package org.shardplan.sim;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.StageMemory;
import org.shardplan.plan.Schedule;

/**
 * Peak memory by rank: walks each rank's slots. A forward slot holds its saved bytes from its start on, and its transient bytes
 * while it runs; a backward slot its transient bytes, and frees what was saved at its end. Where weight gradients come later, it leaves
 * what they need, which their slot frees. Slots that run beside each other hold both slots' bytes. The optimizer's step, when nothing is saved, needs its temporaries.
 */
public final class MemoryWalk {
    private MemoryWalk() {}

    /** By rank; O(slots). {@link PeakFormula} gives the same for generated schedules without a walk. */
    public static List<MemoryPeak> peaks(PricedProgram program) {
        List<MemoryPeak> peaks = new ArrayList<>();
        for (int rank = 0; rank < program.schedule().ranks(); rank++) {
            Held held = new Held(program, rank);
            for (long slot : program.schedule().slotsOf(rank)) {
                held.duringNext(slot);
            }
            peaks.add(MemoryPeak.of(program.memory(), rank, held.peakSaved, held.peakTransients));
        }
        return peaks;
    }

    /** Bytes of a rank that stay all step. */
    public static long staticBytes(StageMemory memory, int rank) {
        return memory.parametersBytes()[rank]
                + memory.gradientsBytes()[rank]
                + memory.optimizerBytes()[rank]
                + memory.otherBytes()[rank];
    }

    /** What the allocator holds for so many allocated bytes, rounded up. */
    public static long reservedBytes(StageMemory memory, long allocatedBytes) {
        return allocatedBytes + (long) Math.ceil(allocatedBytes * memory.fragmentation());
    }

    /** What a rank holds as it runs its slots one after another. */
    static final class Held {
        private final StageMemory memory;
        private final long staticBytes;
        private long saved;
        private long peakSaved;
        private long peakTransients;
        /** Of a forward slot that runs beside the next one. */
        private long beside;

        Held(PricedProgram program, int rank) {
            this.memory = program.memory();
            this.staticBytes = staticBytes(memory, rank);
            this.peakTransients = memory.stepBytes()[rank];
        }

        /** Allocated bytes between slots. */
        long bytes() {
            return staticBytes + saved;
        }

        /** Runs the next slot; allocated bytes while it runs. */
        long duringNext(long slot) {
            int stage = Schedule.stage(slot);
            int phase = Schedule.phase(slot);
            if (phase == Schedule.F) {
                saved += memory.savedBytes()[stage];
            }
            long transients = beside + transients(stage, phase);
            beside = Schedule.isBeside(slot) ? transients : 0;
            long during = saved + transients;
            if (during > peakSaved + peakTransients) {
                peakSaved = saved;
                peakTransients = transients;
            }
            saved -= switch (phase) {
                case Schedule.B -> memory.savedBytes()[stage];
                case Schedule.INPUT -> memory.savedBytes()[stage] - memory.keptBytes()[stage];
                case Schedule.W -> memory.keptBytes()[stage];
                default -> 0;
            };
            return staticBytes + during;
        }

        private long transients(int stage, int phase) {
            return switch (phase) {
                case Schedule.F -> memory.forwardPeakBytes()[stage];
                case Schedule.W -> 0;
                default -> memory.backwardPeakBytes()[stage];
            };
        }
    }
}
