package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.search.SearchObserver;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: {@code sweep}: a row a case, the cheapest first. */
final class A18_SweepJobTest {
    private static final String FILE = """
            format: shardplan.sweep/1
            models: [llama-tiny, gpt-tiny]
            clusters:
              - dgx-a100-80gb:1,price=9USD/h
              - dgx-a100-80gb:1,price=1USD/h
              - dgx-a100-80gb/2
            global-batch: 16
            tokens: [1B]
            """;

    @TempDir
    private Path folder = Path.of("");

    private SweepJob.Outcome sweep(String text) throws IOException {
        Path file = folder.resolve("sweep.yaml");
        Files.writeString(file, text);
        return SweepJob.run(file.toString(), SearchObserver.NONE);
    }

    private UserError refuse(String text) {
        UserError error = assertThrows(UserError.class, () -> sweep(text));
        assertTrue(error.maybe().startsWith("Maybe"), error.maybe());
        return error;
    }

    @Test
    void theCheapestStandsFirst() throws IOException {
        SweepJob.Outcome outcome = sweep(FILE);
        assertTrue(outcome.reached());
        int dollars = outcome.table().columns().indexOf("dollars");
        List<List<Object>> rows = outcome.table().rows();
        assertEquals(6, rows.size());
        assertEquals("llama-tiny", rows.getFirst().getFirst());
        assertEquals(9, (double) rows.get(1).get(dollars) / (double) rows.get(0).get(dollars), 1e-9);
        assertTrue(Double.isNaN((double) rows.get(2).get(dollars)), "an unknown price comes after known ones");
        assertTrue(outcome.table().notes().getFirst().contains("cheapest on dgx-a100-80gb:1"));
    }

    @Test
    void aGoalThatNothingReachesIsSaid() throws IOException {
        SweepJob.Outcome outcome = sweep(FILE + "at-most: days=0.000001\n");
        assertFalse(outcome.reached());
        assertTrue(outcome.table().notes().getFirst().contains("no cluster of the list does it"));
        assertTrue(outcome.table().rows().getFirst().getLast().toString().startsWith("none within"));
    }

    @Test
    void mistakes() {
        assertTrue(refuse(FILE.replace("llama-tiny", "lama-tiny")).getMessage().contains("lama-tiny on dgx"));
        assertTrue(refuse(FILE + "objective: cost\n").getMessage().contains("price"));
        assertTrue(refuse(FILE.replace("tokens: [1B]", "")).getMessage().contains("tokens is missing"));
        assertTrue(refuse(FILE.replace("[1B]", "[]")).getMessage().contains("empty"));
        assertTrue(refuse(FILE.replace("[1B]", "[[1B]]")).getMessage().contains("a list where a word"));
        assertTrue(refuse(FILE + "model: x\n").maybe().contains("models"));
        assertThrows(UserError.class, () -> SweepJob.run("nowhere.yaml", SearchObserver.NONE));
    }
}
