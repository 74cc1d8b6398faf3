package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.shardplan.plan.ScheduleTable.Entry;

/** Tables of schedules that keep weight gradients apart, and those that a user gives: what is refused, and in which words. */
class A12_ScheduleTablesTest {
    private static final int[] TWO = {0, 1};

    private static ScheduleTable table(int[] ranks, int copies, int microBatches, String... orders) {
        List<List<Entry>> all = new ArrayList<>();
        for (int rank = 0; rank < orders.length; rank++) {
            List<Entry> order = new ArrayList<>();
            for (String word : orders[rank].split(" ")) {
                boolean beside = word.endsWith("+");
                String slot = beside ? word.substring(0, word.length() - 1) : word;
                int at = slot.indexOf('@');
                int chunk = at < 0 ? rank : Integer.parseInt(slot.substring(at + 1));
                int batch = Integer.parseInt(slot.substring(1, at < 0 ? slot.length() : at));
                order.add(new Entry(slot.charAt(0), chunk, batch, beside));
            }
            all.add(order);
        }
        return new ScheduleTable(ranks, copies, microBatches, all);
    }

    private static String mistake(String first, String second) {
        return table(TWO, 1, 2, first, second).mistake().orElse("none");
    }

    @Test
    void aTableThatRuns() {
        assertEquals("none", mistake("F0 F1 B0 W0 B1 W1", "F0 B0 F1 B1"));
        Schedule schedule = table(TWO, 1, 2, "F0 F1 B0 W0 B1 W1", "F0 B0 F1 B1").schedule();
        assertEquals(Schedule.INPUT, Schedule.phase(schedule.slotAt(0, 2)));
        assertEquals(Schedule.B, Schedule.phase(schedule.slotAt(1, 1)));
        assertTrue(schedule.splits());
    }

    @Test
    void whatMakesNoSchedule() {
        assertEquals("micro-batch 1 is lost: rank 1 has no B1@1", mistake("F0 F1 B0 B1", "F0 B0 F1"));
        assertEquals("micro-batch 1 is lost: no rank runs it", mistake("F0 B0", "F0 B0"));
        assertEquals(
                "rank 0, slot 2: F0@0 stands twice: micro-batch 0 would be doubled",
                mistake("F0 F1 F0 B0 B1", "F0 B0"));
        assertEquals("rank 0, slot 0: B0@0 comes before its F", mistake("B0 F0 F1 B1", "F0 B0 F1 B1"));
        assertEquals("rank 0, slot 2: W0@0 comes before its B", mistake("F0 F1 W0 B0 B1", "F0 B0 F1 B1"));
        assertEquals(
                "rank 0, slot 0: F0@1 is on the wrong rank: chunk 1 is rank 1's", mistake("F0@1 B0", "F0 B0 F1 B1"));
        assertEquals(
                "rank 0, slot 0: F2@0 names a chunk or micro-batch that is not there: there are 2 chunks and 2"
                        + " micro-batches",
                mistake("F2 B0", "F0 B0"));
        assertEquals(
                "rank 0, slot 0: F0@0 can't run beside what follows: a pair is an F and a B",
                mistake("F0+ F1 B0 B1", "F0 B0 F1 B1"));
    }

    @Test
    void aCircleIsShown() {
        assertEquals(
                "the schedule waits for itself: rank 0 can't run B0@0 before rank 1's B0@1; rank 1 can't run F1@1 before"
                        + " rank 0's F1@0",
                mistake("F0 B0 F1 B1", "F0 F1 B0 B1"));
    }

    @Test
    void twoCopiesShareMicroBatches() {
        int[] ranks = {0, 1, 1, 0};
        String first = "F0@0 F1@3 B1@3 B0@0";
        String second = "F1@2 F0@1 B0@1 B1@2";
        assertEquals("none", table(ranks, 2, 2, first, second).mistake().orElse("none"));
        assertEquals(
                "micro-batch 0 is doubled: it passes both copies",
                table(ranks, 2, 2, first + " F0@3 B0@3", second + " F0@2 B0@2")
                        .mistake()
                        .orElse("none"));
    }

    /** Every generated table, given back as a user's. */
    @Property(tries = 500)
    void generatedTablesRun(
            @ForAll @IntRange(min = 1, max = 8) int pp,
            @ForAll @IntRange(min = 1, max = 40) int microBatches,
            @ForAll @IntRange(min = 0, max = 7) int number) {
        ScheduleKind kind = ScheduleKind.values().get(number);
        int ranks = kind == ScheduleKind.DUALPIPE ? pp + pp % 2 : pp;
        boolean dual = kind == ScheduleKind.DUALPIPE || kind == ScheduleKind.DUALPIPE_V;
        int batches = dual ? Math.max(2 * ranks, microBatches + microBatches % 2) : microBatches;
        int chunks = kind.chunks() == 0 ? 1 + pp % 3 : kind.chunks();
        Schedule schedule = Schedules.of(kind, ranks, chunks, batches);
        assertEquals("none", ScheduleTable.of(schedule).mistake().orElse("none"));
        Schedule again = ScheduleTable.of(schedule).schedule();
        for (int rank = 0; rank < ranks; rank++) {
            assertEquals(Arrays.toString(schedule.slotsOf(rank)), Arrays.toString(again.slotsOf(rank)));
        }
    }
}
