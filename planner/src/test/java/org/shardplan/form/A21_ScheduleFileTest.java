package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.ScheduleKind;
import org.shardplan.units.UserError;

/** A user's table of slots: what is read, and what is refused in which words. */
class A21_ScheduleFileTest {
    @TempDir
    private Path folder;

    private ScheduleKind read(String chunks, String first, String second) throws IOException {
        Path file = folder.resolve("table.yaml");
        Files.writeString(file, """
                format: shardplan.schedule/1
                micro-batches: 2
                chunks: [%s]
                ranks:
                  - %s
                  - %s
                """.formatted(chunks, first, second));
        return ScheduleFile.read(file.toString());
    }

    private String refused(String chunks, String first, String second) {
        UserError error = assertThrows(UserError.class, () -> read(chunks, first, second));
        String message = String.valueOf(error.getMessage());
        return message.substring(message.indexOf("ranks: ") + 7);
    }

    @Test
    void slotsByRank() throws IOException {
        Schedule table =
                read("0, 1", "F0 F1 B0 W0 B1 W1", "F0 B0 F1 B1").table().orElseThrow();
        assertEquals(2, table.ranks());
        assertEquals(Schedule.W, Schedule.phase(table.slotAt(0, 3)));
    }

    @Test
    void downAndUpWithAPair() throws IOException {
        ScheduleKind kind = read(
                "0, 1, 1, 0", "F0@0 F1@0 F0@3 B0@3 B0@0 F1@3 B1@3 B1@0", "F0@1 F0@2 B0@2 F1@1+B0@1 F1@2 B1@2 B1@1");
        assertEquals(2, kind.chunks());
        assertTrue(Schedule.isBeside(kind.table().orElseThrow().slotAt(1, 3)));
    }

    @Test
    void refusedInWords() {
        assertTrue(refused("0, 1", "F0 F1 B0", "F0 B0 F1 B1").contains("micro-batch 1 is lost: rank 0 has no B1@0"));
        assertTrue(refused("0, 1", "F0 B0 F1 B1", "F0 F1 B0 B1").contains("the schedule waits for itself: rank 0"));
        assertTrue(refused("0, 1", "F0 G1", "F0 B0").contains("\"G1\" is no slot"));
        assertTrue(refused("0, 1, 1, 0", "F0", "F0").contains("names no chunk, and the rank has 2"));
    }
}
