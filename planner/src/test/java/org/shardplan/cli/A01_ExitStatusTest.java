package org.shardplan.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: what a run ends with, and what it says where. */
final class A01_ExitStatusTest {
    private static Run run(String... args) {
        return Run.of(args);
    }

    private static PrintStream stream(OutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    @Test
    void versionAndHelpAreResults() {
        Run version = run("--version");
        assertEquals(0, version.status());
        assertTrue(version.out().startsWith("shardplan "), version.out());
        Run help = run("plan", "--help");
        assertEquals(0, help.status());
        assertTrue(help.out().contains("--global-batch"));
        assertEquals("", help.err());
    }

    @Test
    void doctorAnswers() {
        Run doctor = run("doctor");
        assertEquals(0, doctor.status());
        assertTrue(doctor.out().contains("cores"));
        assertEquals("", doctor.err());
    }

    @Test
    void completionHoldsEveryVerb() {
        String script = run("completion").out();
        for (String verb : Verbs.NAMES) {
            assertTrue(script.contains(verb), verb);
        }
    }

    /** Two lines: what is wrong with its value, and what may help; no usage, no stack trace. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plam",
                "--nope",
                "plan",
                "plan gpt --clustr x",
                "plan gpt --cluster",
                "plan gpt --global-batch 8",
                "plan gpt --cluster dgx-h100:1",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --top 0",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --top -1",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --top many",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --seq-len 0",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --seq-len 9223372036854775808",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --json /no/such/folder/x.json",
                "plan gpt --cluster dgx-h100:1 --global-batch 8 --json /",
                "plan gpt two --cluster dgx-h100:1 --global-batch 8",
                "plan gpt --cluster a --cluster b --global-batch 8",
                "simulate gpt --cluster dgx-h100:1 --global-batch 8",
                "simulate gpt --plan tp=8",
                "explain",
                "validate",
                "export plan.json"
            })
    void aMistakeIsTwoLinesAndStatus2(String line) {
        run(line.isEmpty() ? new String[0] : line.split(" ")).assertMistake();
    }

    @Test
    void theNearestNameIsSuggested() {
        assertTrue(run("plan", "gpt", "--clustr", "x").err().contains("Maybe --cluster\n"));
        assertTrue(run("doctr").err().contains("Maybe doctor\n"));
    }

    @Test
    void aUserErrorShowsItsTwoLines() {
        Session session = new Session(
                stream(OutputStream.nullOutputStream()),
                stream(OutputStream.nullOutputStream()),
                Terminal.NONE,
                new Interruption());
        assertEquals(2, Mistakes.thrown(new UserError("x: y", "Maybe z"), session));
    }

    @Test
    void aBugIsOneLineAndItsPlaceIsShownOnDemand() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Session session =
                new Session(stream(OutputStream.nullOutputStream()), stream(err), Terminal.NONE, new Interruption());
        assertEquals(70, Mistakes.thrown(new IllegalStateException("two\nlines"), session));
        String text = err.toString(StandardCharsets.UTF_8);
        assertEquals(1, text.lines().count(), text);
        assertTrue(text.contains("eport it"), text);
        session.verbose = true;
        Mistakes.thrown(new IllegalStateException("x"), session);
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("at org.shardplan"));
    }

    @Test
    void aReaderThatLeavesIsNoError() {
        OutputStream gone = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Session session = new Session(stream(gone), stream(err), Terminal.NONE, new Interruption());
        assertEquals(0, Main.run(new String[] {"doctor"}, session));
        assertEquals("", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aFullDiskIsAnError() {
        LostOutput lost = new LostOutput(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        });
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(lost, true, StandardCharsets.UTF_8);
        out.print("x");
        assertEquals(2, lost.status(0, stream(err)));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("No space left on device"));
    }

    @Test
    void oneFileForTwoOutputsIsAnError(@TempDir Path folder) {
        String file = folder.resolve("x.json").toString();
        String line = "simulate gpt-tiny --cluster local:1 --global-batch 1 --plan tp=1 -o " + file + " --json ";
        Run.line(line + file).assertMistake();
        Run.of("simulate", "gpt-tiny", "--json", "").assertMistake();
    }

    @Test
    void filesAreWrittenWholeOrNotAtAll(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.json");
        new FileOutput("--json", file.toString()).write(out -> out.write('1'));
        assertEquals("1", java.nio.file.Files.readString(file));
        FileOutput again = new FileOutput("--json", file.toString());
        org.junit.jupiter.api.Assertions.assertThrows(
                IllegalStateException.class,
                () -> again.write(out -> {
                    out.write('2');
                    throw new IllegalStateException("in the middle");
                }));
        assertEquals("1", java.nio.file.Files.readString(file), "as it was");
        try (var left = java.nio.file.Files.list(folder)) {
            assertEquals(1, left.count(), "nothing beside it");
        }
        assertFalse(new FileOutput("--json", file.toString()).toString().isEmpty());
    }
}
