package org.shardplan.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A schedule that the user gives slot by slot, and what makes it one that can run: every micro-batch passes every chunk of its copy of the
 * model once, on the chunk's rank, forward before backward before its weight gradients; and no rank waits for itself.
 *
 * @param rankOfChunk rank of each chunk in order of the model's layers; those of a second copy behind those of the first
 * @param copies of the model over all ranks, 1 or 2
 * @param microBatches a step on each data rank
 * @param orders for each rank its slots in order
 */
public record ScheduleTable(int[] rankOfChunk, int copies, int microBatches, List<List<Entry>> orders) {
    /**
     * One slot.
     *
     * @param phase {@code F}, {@code B} or {@code W}
     * @param beside whether it runs beside the one after it, a backward slot
     */
    public record Entry(char phase, int chunk, int microBatch, boolean beside) {
        @Override
        public String toString() {
            return phase + "" + microBatch + "@" + chunk;
        }
    }

    /** The table of a schedule, slot by slot. */
    public static ScheduleTable of(Schedule schedule) {
        int[] ranks = new int[schedule.stages()];
        for (int stage = 0; stage < ranks.length; stage++) {
            ranks[stage] = schedule.rankOf(stage);
        }
        List<List<Entry>> orders = new ArrayList<>();
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            List<Entry> order = new ArrayList<>();
            for (long slot : schedule.slotsOf(rank)) {
                int phase = Schedule.phase(slot);
                char letter = Schedule.isBackward(phase) ? 'B' : phase == Schedule.F ? 'F' : 'W';
                order.add(new Entry(letter, Schedule.stage(slot), Schedule.microBatch(slot), Schedule.isBeside(slot)));
            }
            orders.add(List.copyOf(order));
        }
        return new ScheduleTable(ranks, schedule.copies(), schedule.microBatches(), orders);
    }

    /** What is wrong with it, in words; empty where nothing is. */
    public Optional<String> mistake() {
        Map<String, Integer> seen = new HashMap<>();
        for (int rank = 0; rank < orders.size(); rank++) {
            Optional<String> found = mistake(rank, seen);
            if (found.isPresent()) {
                return found;
            }
        }
        Optional<String> lost = lost(seen);
        return lost.isPresent() ? lost : Deadlock.of(schedule());
    }

    private Optional<String> mistake(int rank, Map<String, Integer> seen) {
        List<Entry> order = orders.get(rank);
        for (int index = 0; index < order.size(); index++) {
            Entry entry = order.get(index);
            int chunk = entry.chunk;
            String where = "rank " + rank + ", slot " + index + ": " + entry + " ";
            if (chunk >= rankOfChunk.length || entry.microBatch >= microBatches) {
                return Optional.of(where + "names a chunk or micro-batch that is not there: there are "
                        + rankOfChunk.length + " chunks and " + microBatches + " micro-batches");
            }
            if (rankOfChunk[chunk] != rank) {
                return Optional.of(
                        where + "is on the wrong rank: chunk " + chunk + " is rank " + rankOfChunk[chunk] + "'s");
            }
            if (seen.put(entry.toString(), index) != null) {
                return Optional.of(where + "stands twice: micro-batch " + entry.microBatch + " would be doubled");
            }
            char before = entry.phase == 'W' ? 'B' : 'F';
            if (entry.phase != 'F' && !seen.containsKey(new Entry(before, chunk, entry.microBatch, false).toString())) {
                return Optional.of(where + "comes before its " + before);
            }
            if (entry.beside
                    && (index + 1 == order.size() || entry.phase != 'F' || order.get(index + 1).phase != 'B')) {
                return Optional.of(where + "can't run beside what follows: a pair is an F and a B");
            }
        }
        return Optional.empty();
    }

    /** Micro-batches that pass some chunks of a copy, and not all; or none of either copy. */
    private Optional<String> lost(Map<String, Integer> seen) {
        int stages = rankOfChunk.length / copies;
        for (int batch = 0; batch < microBatches; batch++) {
            int passed = -1;
            for (int chunk = 0; chunk < rankOfChunk.length; chunk++) {
                if (seen.containsKey(new Entry('F', chunk, batch, false).toString())) {
                    if (passed >= 0 && passed != chunk / stages) {
                        return Optional.of("micro-batch " + batch + " is doubled: it passes both copies");
                    }
                    passed = chunk / stages;
                }
            }
            if (passed < 0) {
                return Optional.of("micro-batch " + batch + " is lost: no rank runs it");
            }
            for (int chunk = passed * stages; chunk < (passed + 1) * stages; chunk++) {
                for (char phase : new char[] {'F', 'B'}) {
                    if (!seen.containsKey(new Entry(phase, chunk, batch, false).toString())) {
                        return Optional.of("micro-batch " + batch + " is lost: rank " + rankOfChunk[chunk] + " has no "
                                + phase + batch + "@" + chunk);
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** As a schedule. */
    public Schedule schedule() {
        Set<String> apart = new HashSet<>();
        orders.forEach(order -> order.stream()
                .filter(entry -> entry.phase == 'W')
                .forEach(entry -> apart.add(entry.chunk + "/" + entry.microBatch)));
        int stages = rankOfChunk.length / copies;
        int[] batches = new int[copies];
        long[][] slots = new long[orders.size()][];
        for (int rank = 0; rank < slots.length; rank++) {
            slots[rank] = orders.get(rank).stream()
                    .mapToLong(entry -> slot(entry, apart.contains(entry.chunk + "/" + entry.microBatch)))
                    .toArray();
            for (Entry entry : orders.get(rank)) {
                batches[entry.chunk / stages] += entry.phase == 'F' && entry.chunk % stages == 0 ? 1 : 0;
            }
        }
        return new Schedule(slots, rankOfChunk, batches);
    }

    private static long slot(Entry entry, boolean apart) {
        int phase = switch (entry.phase) {
            case 'F' -> Schedule.F;
            case 'W' -> Schedule.W;
            default -> apart ? Schedule.INPUT : Schedule.B;
        };
        long slot = Schedule.slot(entry.chunk, entry.microBatch, phase);
        return entry.beside ? Schedule.beside(slot) : slot;
    }

    /**
     * As the kind of a plan's schedule.
     *
     * @param text the file's name, as the plan's text has it
     */
    public ScheduleKind kind(String text) {
        return ScheduleKind.given(text, schedule());
    }
}
