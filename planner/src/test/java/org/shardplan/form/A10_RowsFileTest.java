package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.Checkout;
import org.shardplan.units.UserError;

/** ROWS.csv: what is read, what is a problem of a row, what is a mistake of the file. */
class A10_RowsFileTest {
    private static final String HEADER = "id,gpu,gpus,precision,global_batch,seq_len,layers,hidden,heads,vocab";

    @TempDir
    Path folder;

    private List<Row> read(String text) throws IOException {
        Path file = folder.resolve("rows.csv");
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        return RowsFile.read(file, model -> model.equals("gpt3-175b"));
    }

    @Test
    void readsOneRow() throws IOException {
        Row row = read(HEADER + "\nr1,a100-sxm-80gb,8,bf16,64,2048,24,2048,16,50257\n")
                .getFirst();
        assertEquals("r1", row.id());
        assertEquals(2, row.line());
        assertEquals(OptionalLong.of(50257), row.shape().vocab());
        assertEquals(OptionalLong.empty(), row.degrees().tp());
        assertEquals("", row.software().family());
        assertTrue(Double.isNaN(row.measured().stepSeconds()));
        assertEquals(Optional.empty(), row.problem());
    }

    @Test
    void byteOrderMarkQuotesThousandsAndLineEnds() throws IOException {
        List<Row> rows = read("\uFEFF" + HEADER + ",Step_Seconds,notes,colour\r\n"
                + "r1,A100-SXM-80GB,\"1,024\",bf16,\"1,536\",2048,96,12288,96,51200.0,\"1,000.5\",\"he said \"\"no\"\"\r\nand left\",red\r\n"
                + "\r\n"
                + "r2,a100-sxm-80gb,8,bf16,64,2048,24,2048,16,50257\r\n");
        assertEquals(2, rows.size());
        Row row = rows.getFirst();
        assertEquals("a100-sxm-80gb", row.machine().gpu());
        assertEquals(OptionalLong.of(1024), row.machine().gpus());
        assertEquals(OptionalLong.of(51200), row.shape().vocab());
        assertEquals(1000.5, row.measured().stepSeconds());
        assertEquals("he said \"no\"\r\nand left", row.notes());
        assertEquals(Optional.empty(), rows.get(1).problem());
        assertEquals(5, rows.get(1).line());
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "-3", "8.5", "1e3", "eight", "99999999999999999999", "1,02"})
    void aCellThatIsNoNumberIsAProblemOfItsRow(String cell) throws IOException {
        List<Row> rows = read(HEADER + "\nr1,a100,\"" + cell + "\",bf16,64,2048,24,2048,16,50257\n"
                + "r2,a100,8,bf16,64,2048,24,2048,16,50257\n");
        assertEquals(
                Optional.of("gpus is \"" + cell + "\", not a whole number"),
                rows.getFirst().problem());
        assertEquals(Optional.empty(), rows.get(1).problem());
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "0", "-1", "Infinity", "soon"})
    void aTimeThatIsNoneIsAProblemOfItsRow(String cell) throws IOException {
        Row row = read(HEADER + ",step_seconds\nr1,a100,8,bf16,64,2048,24,2048,16,50257," + cell + "\n")
                .getFirst();
        assertEquals(Optional.of("step_seconds is \"" + cell + "\", not a positive number"), row.problem());
    }

    @Test
    void aLineThatIsTooLongIsAProblemOfItsRow() throws IOException {
        Row row = read(HEADER + "\nr1,a100,8,bf16,64,2048,24,2048,16,50257,x\n").getFirst();
        assertEquals(Optional.of("the line has 11 cells, and the header 10"), row.problem());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"id", "gpu", "gpus", "precision", "global_batch", "seq_len", "layers", "hidden", "heads", "vocab"
            })
    void everyRequiredColumnIsMissed(String column) {
        String header = String.join(
                ",",
                Stream.of(HEADER.split(","))
                        .filter(name -> !name.equals(column))
                        .toList());
        UserError error = assertThrows(UserError.class, () -> read(header + ",model\n1,1,1,1,1,1,1,1,1,GPT 22B\n"));
        assertTrue(error.getMessage().endsWith("line 1: required columns are missing: " + column), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe add them"), error.maybe());
    }

    @Test
    void aCatalogModelStandsForTheShape() throws IOException {
        List<Row> rows = read("id,gpu,gpus,precision,global_batch,seq_len,model\nr1,a100,8,bf16,64,2048,gpt3-175b\n");
        assertEquals("gpt3-175b", rows.getFirst().model());
    }

    @Test
    void mistakesOfTheFile() throws IOException {
        assertTrue(assertThrows(UserError.class, () -> read("")).getMessage().endsWith("the file is empty"));
        assertTrue(assertThrows(UserError.class, () -> read("id,id\n1,2\n"))
                .getMessage()
                .contains("the column id stands twice"));
        assertTrue(assertThrows(UserError.class, () -> read("{\"rows\": []}"))
                .getMessage()
                .contains("missing: id, gpu"));
        assertTrue(assertThrows(UserError.class, () -> read(HEADER + "\nr1,\"a100\n"))
                .maybe()
                .startsWith("Maybe"));
        UserError none = assertThrows(UserError.class, () -> RowsFile.read(folder.resolve("none.csv"), model -> false));
        assertTrue(none.getMessage().contains("no such file"), none.getMessage());
        UserError directory = assertThrows(UserError.class, () -> RowsFile.read(folder, model -> false));
        assertTrue(directory.getMessage().contains("can't be read"), directory.getMessage());
        assertEquals(0, read(HEADER + "\n").size());
    }

    @ParameterizedTest
    @ValueSource(strings = {";", "\t"})
    void otherSeparators(String separator) throws IOException {
        String line = "r1,a100-sxm-80gb,8,bf16,64,2048,24,2048,16,50257";
        List<Row> rows = read((HEADER + "\n" + line + "\n").replace(",", separator));
        assertEquals(OptionalLong.of(50257), rows.getFirst().shape().vocab());
        assertEquals(Optional.empty(), rows.getFirst().problem());
    }

    @Test
    void anyOrderOfColumns() throws IOException {
        Row row = read("vocab,heads,colour,hidden,layers,seq_len,global_batch,precision,gpus,gpu,id\n"
                        + "50257,16,red,2048,24,2048,64,bf16,8,a100-sxm-80gb,r1\n")
                .getFirst();
        assertEquals("r1", row.id());
        assertEquals(OptionalLong.of(24), row.shape().layers());
    }

    @Test
    void whatIsNoTextIsRefused() throws IOException {
        Path file = folder.resolve("rows.csv");
        byte[] zipped = {31, -117, 8, 0, 0, 0, 0, 0};
        for (byte[] bytes : List.of(zipped, (HEADER + "\n").getBytes(StandardCharsets.UTF_16), new byte[100])) {
            Files.write(file, bytes);
            UserError error = assertThrows(UserError.class, () -> RowsFile.read(file, model -> false));
            assertTrue(error.getMessage().contains("not a text in UTF-8"), error.getMessage());
            assertTrue(error.maybe().startsWith("Maybe save the table as CSV"), error.maybe());
        }
    }

    @Test
    void aHundredThousandRows() throws IOException {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        for (int i = 0; i < 100_000; i++) {
            text.append("r").append(i).append(",a100-sxm-80gb,8,bf16,64,2048,24,2048,16,50257\n");
        }
        List<Row> rows = read(text.toString());
        assertEquals(100_000, rows.size());
        assertEquals("r99999", rows.getLast().id());
    }

    @Test
    void ourOwnLedgerHasNoProblems() throws IOException {
        everyFile(Checkout.root().resolve("bench/rows"));
    }

    @Test
    void theWholeLedgerHasNoProblems() throws IOException {
        Path ledger = Checkout.root().resolve("../shared/groundtruth");
        assumeTrue(Files.isDirectory(ledger), "no ../shared");
        everyFile(ledger);
    }

    private static void everyFile(Path ledger) throws IOException {
        try (Stream<Path> files =
                Files.list(ledger).filter(file -> file.toString().endsWith(".csv"))) {
            for (Path file : files.sorted().toList()) {
                List<Row> rows = RowsFile.read(file, model -> false);
                assertTrue(!rows.isEmpty(), file.toString());
                for (Row row : rows) {
                    assertEquals(Optional.empty(), row.problem(), row.id());
                }
            }
        }
    }
}
