package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Schedule tables against the published ones, and what every table must obey. */
class A10_SchedulesTest {
    static String row(Schedule schedule, int rank) {
        StringBuilder row = new StringBuilder();
        for (long slot : schedule.slotsOf(rank)) {
            int chunk = Schedule.stage(slot) / schedule.ranks();
            row.append(row.isEmpty() ? "" : " ").append("FBWB".charAt(Schedule.phase(slot)));
            row.append(Schedule.microBatch(slot));
            if (schedule.stages() > schedule.ranks()) {
                row.append((char) ('a' + chunk));
            }
        }
        return row.toString();
    }

    @Test
    void gpipe() {
        Schedule schedule = Schedules.of(ScheduleKind.GPIPE, 2, 1, 3);
        assertEquals("F0 F1 F2 B0 B1 B2", row(schedule, 0));
        assertEquals("F0 F1 F2 B0 B1 B2", row(schedule, 1));
    }

    @Test
    void oneForwardOneBackward() {
        Schedule schedule = Schedules.of(ScheduleKind.ONE_F_ONE_B, 3, 1, 4);
        assertEquals("F0 F1 F2 B0 F3 B1 B2 B3", row(schedule, 0));
        assertEquals("F0 F1 B0 F2 B1 F3 B2 B3", row(schedule, 1));
        assertEquals("F0 B0 F1 B1 F2 B2 F3 B3", row(schedule, 2));
    }

    @Test
    void interleavedAsInTheSc21Paper() {
        Schedule schedule = Schedules.of(ScheduleKind.INTERLEAVED, 2, 2, 4);
        assertEquals("F0a F1a F0b F1b F2a B0b F3a B1b F2b B0a F3b B1a B2b B3b B2a B3a", row(schedule, 0));
        assertEquals("F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a", row(schedule, 1));
    }

    @Test
    void inFlightAsPublished() {
        assertEquals(16, Schedules.inFlight(ScheduleKind.ONE_F_ONE_B, 16, 1, 96, 0));
        assertEquals(1, Schedules.inFlight(ScheduleKind.ONE_F_ONE_B, 16, 1, 96, 15));
        assertEquals(3, Schedules.inFlight(ScheduleKind.ONE_F_ONE_B, 16, 1, 3, 0));
        // p·v + p - 1 chunks on the first rank: 1 + (p - 1)/(p·v) times p·v (Korthikanti, section 4.2.3)
        assertEquals(8 * 3 + 7, Schedules.inFlight(ScheduleKind.INTERLEAVED, 8, 3, 64, 0));
        assertEquals(64, Schedules.inFlight(ScheduleKind.GPIPE, 8, 1, 64, 5));
    }

    @Test
    void groupsThatMegatronTakes() {
        assertEquals(8, Schedules.group(8, 2, 64));
        assertEquals(9, Schedules.group(8, 2, 17));
        assertEquals(15, Schedules.group(8, 2, 15));
        assertEquals(3, Schedules.group(8, 2, 3));
    }

    @Test
    void oneChunkInterleavedIsOneForwardOneBackward() {
        assertEquals(Schedules.of(ScheduleKind.ONE_F_ONE_B, 4, 1, 8), Schedules.of(ScheduleKind.INTERLEAVED, 4, 1, 8));
    }

    @Test
    void refusesWhatIsNoSchedule() {
        assertThrows(IllegalArgumentException.class, () -> Schedules.of(ScheduleKind.GPIPE, 4, 2, 8));
        assertThrows(IllegalArgumentException.class, () -> Schedules.of(ScheduleKind.INTERLEAVED, 4, 2, 0));
    }

    @Property(tries = 500)
    void everyTaskOnceForwardFirstAndNeverMoreInFlightThanSaid(
            @ForAll @IntRange(min = 1, max = 9) int pp,
            @ForAll @IntRange(min = 1, max = 5) int vpp,
            @ForAll @IntRange(min = 1, max = 40) int microBatches,
            @ForAll @IntRange(min = 0, max = 2) int number) {
        ScheduleKind kind = ScheduleKind.values().get(number);
        int chunks = kind == ScheduleKind.INTERLEAVED ? vpp : 1;
        Schedule schedule = Schedules.of(kind, pp, chunks, microBatches);
        for (int rank = 0; rank < pp; rank++) {
            Set<Long> seen = new HashSet<>();
            int inFlight = 0;
            int most = 0;
            for (long slot : schedule.slotsOf(rank)) {
                assertTrue(seen.add(slot));
                assertEquals(rank, schedule.rankOf(Schedule.stage(slot)));
                boolean forward = Schedule.phase(slot) == Schedule.F;
                assertTrue(forward || seen.contains(slot - Schedule.B + Schedule.F));
                inFlight += forward ? 1 : -1;
                most = Math.max(most, inFlight);
            }
            assertEquals(2 * chunks * microBatches, seen.size());
            assertEquals(Schedules.inFlight(kind, pp, chunks, microBatches, rank), most);
        }
    }

    @Property(tries = 500)
    void noScheduleWaitsForItself(
            @ForAll @IntRange(min = 1, max = 9) int pp,
            @ForAll @IntRange(min = 1, max = 5) int vpp,
            @ForAll @IntRange(min = 1, max = 40) int microBatches,
            @ForAll @IntRange(min = 0, max = 2) int number) {
        ScheduleKind kind = ScheduleKind.values().get(number);
        Schedule schedule = Schedules.of(kind, pp, kind == ScheduleKind.INTERLEAVED ? vpp : 1, microBatches);
        int last = schedule.stages() - 1;
        Set<Long> done = new HashSet<>();
        int[] next = new int[pp];
        for (boolean moved = true; moved; ) {
            moved = false;
            for (int rank = 0; rank < pp; rank++) {
                while (next[rank] < schedule.slots(rank)) {
                    long slot = schedule.slotAt(rank, next[rank]);
                    int stage = Schedule.stage(slot);
                    boolean forward = Schedule.phase(slot) == Schedule.F;
                    int before = forward ? stage - 1 : stage == last ? last : stage + 1;
                    int phase = forward || stage == last ? Schedule.F : Schedule.B;
                    if (before >= 0 && !done.contains(Schedule.slot(before, Schedule.microBatch(slot), phase))) {
                        break;
                    }
                    done.add(slot);
                    next[rank]++;
                    moved = true;
                }
            }
        }
        assertEquals(2 * schedule.stages() * microBatches, done.size());
    }
}
