package org.shardplan.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FEATURE UNDER TEST: {@code validate} reads any table that it can, skips rows by name and reason, and refuses the rest in a line. */
final class A05_ValidateInputTest {
    private static final String HEADER =
            "id,gpu,gpus,precision,global_batch,seq_len,layers,hidden,heads,vocab,tp,pp,dp,cp,micro_batch,step_seconds\n";
    private static final String ROW = "r1,a100-sxm-80gb,8,bf16,64,1024,4,512,8,32000,2,2,2,1,1,1.0\n";

    @TempDir
    private Path folder;

    private Run validate(byte[] bytes) throws IOException {
        Path file = folder.resolve("mine.csv");
        Files.write(file, bytes);
        return Run.of("validate", file.toString());
    }

    private Run validate(String text) throws IOException {
        return validate(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertPredicted(Run run) {
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("1 of 1 rows that count are predicted (100.0 %)"), run.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {",", ";", "\t"})
    void separators(String separator) throws IOException {
        assertPredicted(validate((HEADER + ROW).replace(",", separator)));
    }

    @Test
    void byteOrderMarkLineEndsQuotesThousandsAndMoreColumns() throws IOException {
        String header = HEADER.replace("\n", ",colour\n");
        String row = ROW.replace("64", "\"1,024\"").replace("\n", ",\"red, or \"\"blue\"\"\"\n");
        assertPredicted(validate("\uFEFF" + (header + row).replace("\n", "\r\n")));
    }

    /** A cell that is changed, and the reason for which the row is skipped. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ",2,2,2,1,1,1.0 | ,2,2,3,1,1,1.0     | tp·pp·dp = 2·2·3 is not gpus = 8",
                ",2,2,2,1,1,1.0 | ,3,2,,1,1,1.0      | gpus 8 are not a multiple of tp·pp = 3·2",
                ",2,2,2,1,1,1.0 | ,2,2,2,1,1,-1      | step_seconds is \"-1\", not a positive number",
                ",8,bf16,       | ,eight,bf16,       | gpus is \"eight\", not a whole number",
                ",8,bf16,       | ,,bf16,            | gpus is blank",
                ",8,bf16,       | ,8,bf17,           | precision \"bf17\" is not known",
                ",64,1024,      | ,63,1024,          | global_batch 63 is not a multiple of dp·micro_batch = 2·1",
                ",64,1024,      | ,2000000000,1024,  | which no run has",
                ",4,512,8,      | ,4,512,7,          | hidden 512 is not a multiple of heads 7",
                ",4,512,8,      | ,0,512,8,          | layers is 0, which no run has",
                "a100-sxm-80gb  | abacus             | gpu \"abacus\" is not in the catalog"
            })
    void aRowIsSkippedByNameAndReason(String good, String bad, String reason) throws IOException {
        assertTrue(ROW.contains(good), good);
        Run run = validate(HEADER + ROW.replace(good, bad));
        assertEquals(0, run.status(), run.err());
        String line = run.out()
                .lines()
                .filter(row -> row.startsWith("r1"))
                .findFirst()
                .orElseThrow();
        assertTrue(line.contains("skipped: ") && line.contains(reason), line);
    }

    @Test
    void whatIsNoTableIsRefused() throws IOException {
        validate(new byte[0]).assertMistake();
        validate("\n\n").assertMistake();
        validate(new byte[10_000]).assertMistake();
        validate(new byte[] {31, -117, 8, 0, 0, 9, 9}).assertMistake();
        validate((HEADER + ROW).getBytes(StandardCharsets.UTF_16)).assertMistake();
        validate("{\"rows\": []}").assertMistake();
        validate(HEADER + "\"r1,a100").assertMistake();
        Run.of("validate", folder.toString()).assertMistake();
    }

    /** Nobody names the source of rows of their own. */
    @Test
    void rowsWithoutASourceAreOfTheirFile() throws IOException {
        assertTrue(validate(HEADER + ROW).out().lines().anyMatch(line -> line.startsWith("mine ")));
    }
}
