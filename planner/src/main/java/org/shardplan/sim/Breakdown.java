package org.shardplan.sim;

import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.SplitSlots;
import org.shardplan.plan.Schedule;

/**
 * Where the step of the slowest rank goes, in nanoseconds. All ranks end together, so the slowest is the one that waits least: most
 * time in its head, slots, blocking sends and tails; of equals the first. The parts sum to the makespan exactly:
 *
 * <ul>
 *   <li>{@code compute}: its slots, less the three shares below;
 *   <li>{@code tensor}: exposed tensor-parallel communication within its slots;
 *   <li>{@code context}: exposed communication among context ranks within its slots;
 *   <li>{@code data}: exposed data-parallel communication: gathers within its slots, what overlapped reductions add to its last backward
 *       slots, the wait for its data stream, its reductions that do not overlap, the tied embedding's where it takes part, gathers in
 *       head and optimizer;
 *   <li>{@code pipeline}: what the step would gain if sends took no time (a second sweep says), at most this rank's blocking sends
 *       and waits;
 *   <li>{@code bubble}: the rest of its blocking sends and waits;
 *   <li>{@code host}: the host share, taken from the optimizer tail first, then from the head;
 *   <li>{@code optimizer}: its optimizer tail, less communication and host.
 * </ul>
 *
 * @param rank the slowest
 */
public record Breakdown(
        int rank,
        long compute,
        long tensor,
        long context,
        long data,
        long pipeline,
        long bubble,
        long optimizer,
        long host,
        long makespan) {

    /** Of one program; runs the sweep, which keeps this program's times afterwards. */
    public static Breakdown of(PricedProgram program, Sweep sweep) {
        long sendGain = sweep.run(Programs.withoutSends(program));
        sendGain = sweep.run(program) - sendGain;
        Slots slowest = Slots.of(program, sweep, 0);
        for (int rank = 1; rank < program.schedule().ranks(); rank++) {
            Slots slots = Slots.of(program, sweep, rank);
            if (slots.busy() > slowest.busy()) {
                slowest = slots;
            }
        }
        return slowest.parts(program, sweep, sendGain);
    }

    /**
     * The same step, longer: waiting for slow devices is bubble; waiting for links counts as exposed communication of the data ranks where
     * there is any, else of the pipeline.
     */
    Breakdown lengthened(long waiting, long contention) {
        boolean ofData = data > 0;
        return new Breakdown(
                rank,
                compute,
                tensor,
                context,
                data + (ofData ? contention : 0),
                pipeline + (ofData ? 0 : contention),
                bubble + waiting,
                optimizer,
                host,
                makespan + waiting + contention);
    }

    /** In seconds. */
    public Prediction.TimeShares seconds() {
        return new Prediction.TimeShares(
                compute / 1e9,
                tensor / 1e9,
                context / 1e9,
                0,
                pipeline / 1e9,
                data / 1e9,
                0,
                bubble / 1e9,
                optimizer / 1e9,
                host / 1e9);
    }

    /** Sums over a rank's slots; {@code busy}: of all that the rank itself does one after another. */
    private record Slots(int rank, long nanos, long tensor, long context, long data, long blocking, long busy) {

        static Slots of(PricedProgram program, Sweep sweep, int rank) {
            Schedule schedule = program.schedule();
            long nanos = 0;
            long tensor = 0;
            long context = 0;
            long data = 0;
            long blocking = 0;
            long hidden = 0;
            int[] gradientsLeft = new int[schedule.stages()];
            for (long slot : schedule.slotsOf(rank)) {
                gradientsLeft[Schedule.stage(slot)] += Schedule.givesWeights(Schedule.phase(slot)) ? 1 : 0;
            }
            SplitSlots split = program.split();
            long[] slots = schedule.slotsOf(rank);
            for (int index = 0; index < slots.length; index++) {
                long slot = slots[index];
                int stage = Schedule.stage(slot);
                int phase = Schedule.phase(slot);
                boolean last = Schedule.givesWeights(phase) && --gradientsLeft[stage] == 0;
                long own = program.slotNanos(slot, last);
                nanos += own;
                data += last ? Math.max(0, own - program.slotNanos(slot, false)) : 0;
                boolean backward = Schedule.isBackward(phase);
                if (phase != Schedule.W) {
                    context += (backward ? program.backwardContext() : program.forwardContext())[stage];
                }
                tensor += tensor(program, phase)[stage];
                data += data(program, phase)[stage];
                blocking += phase != Schedule.W && program.sendsBlock() ? Math.max(0, sweep.hop(stage, backward)) : 0;
                if (Schedule.isBeside(slot)) {
                    int other = Schedule.stage(slots[index + 1]);
                    hidden += own - split.beside(own, stage, 0, other);
                }
            }
            // what runs beside another slot is not exposed
            tensor = Math.max(0, tensor - hidden);
            nanos -= hidden;
            long busy = nanos
                    + blocking
                    + program.head()[rank]
                    + program.reduceTail()[rank]
                    + program.optimizerTail()[rank];
            return new Slots(rank, nanos, tensor, context, data, blocking, busy);
        }

        private static long[] tensor(PricedProgram program, int phase) {
            return switch (phase) {
                case Schedule.F -> program.forwardTensor();
                case Schedule.B -> program.backwardTensor();
                case Schedule.W -> program.split().weightTensor();
                default -> program.split().inputTensor();
            };
        }

        private static long[] data(PricedProgram program, int phase) {
            return switch (phase) {
                case Schedule.F -> program.forwardData();
                case Schedule.B -> program.backwardData();
                case Schedule.W -> program.split().weightData();
                default -> program.split().inputData();
            };
        }

        Breakdown parts(PricedProgram program, Sweep sweep, long sendGain) {
            boolean tied = program.tiedReduce() != 0 && (rank == program.tiedFirst() || rank == program.tiedLast());
            long ownEnd = Math.max(sweep.computeEnd(rank), sweep.sendsEnd(rank));
            long dataWait = Math.max(0, sweep.dataEnd(rank) - ownEnd);
            long reductions = dataWait + (tied ? program.tiedReduce() : 0);
            long idle = sweep.makespan() - busy - reductions + blocking;
            long pipeline = Math.clamp(sendGain, 0, Math.max(0, idle));
            long head = program.head()[rank];
            long tail = program.optimizerTail()[rank];
            long tailData = Math.min(program.optimizerData(), tail);
            long hostInTail = Math.min(program.hostShare(), tail - tailData);
            long hostInHead = Math.min(program.hostShare() - hostInTail, head);
            return new Breakdown(
                    rank,
                    nanos - tensor - context - data,
                    tensor,
                    context,
                    data + reductions + program.reduceTail()[rank] + tailData + head - hostInHead,
                    pipeline,
                    idle - pipeline,
                    tail - tailData - hostInTail,
                    hostInHead + hostInTail,
                    sweep.makespan());
        }
    }
}
