package org.shardplan.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds ranks that wait for each other for ever, by letting all of them run as far as they get. */
final class Deadlock {
    private final Schedule schedule;
    private final int[] next;
    private final boolean[] forwardDone;
    private final boolean[] backwardDone;

    private Deadlock(Schedule schedule) {
        this.schedule = schedule;
        int cells = Math.multiplyExact(schedule.stages(), schedule.microBatches());
        next = new int[schedule.ranks()];
        forwardDone = new boolean[cells];
        backwardDone = new boolean[cells];
    }

    /** The circle of ranks in words; empty where all slots run. O(slots). */
    static Optional<String> of(Schedule schedule) {
        return new Deadlock(schedule).find();
    }

    private Optional<String> find() {
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int rank = 0; rank < schedule.ranks(); rank++) {
                while (next[rank] < schedule.slots(rank) && runs(rank)) {
                    moved = true;
                }
            }
        }
        for (int rank = 0; rank < schedule.ranks(); rank++) {
            if (next[rank] < schedule.slots(rank)) {
                return Optional.of(circle(rank));
            }
        }
        return Optional.empty();
    }

    /** Runs the rank's next slot, with its partner where it has one, if nothing is missing. */
    private boolean runs(int rank) {
        int slots = Schedule.isBeside(schedule.slotAt(rank, next[rank])) ? 2 : 1;
        for (int i = 0; i < slots; i++) {
            if (missing(schedule.slotAt(rank, next[rank] + i)) >= 0) {
                return false;
            }
        }
        for (int i = 0; i < slots; i++) {
            long slot = schedule.slotAt(rank, next[rank]++);
            int cell = cell(slot);
            forwardDone[cell] |= Schedule.phase(slot) == Schedule.F;
            backwardDone[cell] |= Schedule.isBackward(Schedule.phase(slot));
        }
        return true;
    }

    private int cell(long slot) {
        return Schedule.stage(slot) * schedule.microBatches() + Schedule.microBatch(slot);
    }

    /** The slot that must run before this one and has not; -1 where there is none. */
    private long missing(long slot) {
        int stage = Schedule.stage(slot);
        int batch = Schedule.microBatch(slot);
        int cell = cell(slot);
        return switch (Schedule.phase(slot)) {
            case Schedule.F ->
                schedule.isFirst(stage) || forwardDone[cell - schedule.microBatches()]
                        ? -1
                        : Schedule.slot(stage - 1, batch, Schedule.F);
            case Schedule.W -> backwardDone[cell] ? -1 : Schedule.slot(stage, batch, Schedule.INPUT);
            default -> {
                if (schedule.isLast(stage)) {
                    yield forwardDone[cell] ? -1 : Schedule.slot(stage, batch, Schedule.F);
                }
                yield backwardDone[cell + schedule.microBatches()] ? -1 : Schedule.slot(stage + 1, batch, Schedule.B);
            }
        };
    }

    /** From a rank that stands still to the rank that it waits for, and on until a rank comes again. */
    private String circle(int from) {
        List<Integer> ranks = new ArrayList<>();
        List<String> words = new ArrayList<>();
        int rank = from;
        while (!ranks.contains(rank)) {
            ranks.add(rank);
            long waiting = schedule.slotAt(rank, next[rank]);
            long missing = missing(waiting);
            if (missing < 0 && Schedule.isBeside(waiting)) {
                missing = missing(schedule.slotAt(rank, next[rank] + 1));
            }
            int other = schedule.rankOf(Schedule.stage(missing));
            words.add("rank " + rank + " can't run " + name(waiting) + " before "
                    + (other == rank ? "its own " : "rank " + other + "'s ") + name(missing));
            rank = other;
        }
        return "the schedule waits for itself: " + String.join("; ", words.subList(ranks.indexOf(rank), words.size()));
    }

    private static String name(long slot) {
        String letter =
                Schedule.isBackward(Schedule.phase(slot)) ? "B" : Schedule.phase(slot) == Schedule.F ? "F" : "W";
        return letter + Schedule.microBatch(slot) + "@" + Schedule.stage(slot);
    }
}
