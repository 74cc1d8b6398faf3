package org.shardplan.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** FEATURE UNDER TEST: plan, simulate and explain on one small problem, with all that they write. */
final class A03_VerbsTest {
    private static final String PROBLEM = "llama-tiny --cluster dgx-a100-80gb/2 --global-batch 8";
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private static Path folder;

    private static Run planned;

    @BeforeAll
    static void plan() {
        planned = Run.line("plan " + PROBLEM + " --top 5 --json " + folder.resolve("result.json") + " --trace "
                + folder.resolve("trace.json") + " -o " + folder.resolve("plan.json"));
    }

    private static JsonNode read(String name) throws IOException {
        return JSON.readTree(folder.resolve(name).toFile());
    }

    @Test
    void planAnswers() throws IOException {
        assertEquals(0, planned.status(), planned.err());
        JsonNode result = read("result.json");
        assertEquals("shardplan.result/1", result.get("format").asText());
        JsonNode search = result.get("search");
        assertTrue(search.get("optimal").asBoolean());
        assertEquals(
                search.get("space").asLong(),
                search.get("evaluated").asLong() + search.get("pruned").asLong());
        assertTrue(search.get("within_comparison_error").asLong() >= 1);
        assertTrue(result.get("plans").size() <= 5 && !result.get("plans").isEmpty());
        for (JsonNode plan : result.get("plans")) {
            double sum = 0;
            for (JsonNode share : plan.get("time")) {
                sum += share.asDouble();
            }
            double step = plan.get("step_seconds").asDouble();
            assertEquals(step, sum, step * 1e-6);
            JsonNode memory = plan.get("memory");
            assertTrue(memory.get("peak_bytes").asLong()
                    <= memory.get("capacity_bytes").asLong());
            assertEquals(
                    2, plan.get("devices").asInt() + plan.get("devices_idle").asInt());
        }
        assertTrue(planned.out().contains(result.get("plans").get(0).get("plan").asText()), planned.out());
    }

    /** Perfetto's form: complete events, names of processes and threads, memory counters, flows in pairs. */
    @Test
    void theTraceIsWhole() throws IOException {
        long starts = 0;
        long ends = 0;
        double last = 0;
        Set<String> phases = new HashSet<>();
        for (JsonNode event : read("trace.json").get("traceEvents")) {
            String phase = event.get("ph").asText();
            phases.add(phase);
            starts += phase.equals("s") ? 1 : 0;
            ends += phase.equals("f") ? 1 : 0;
            if (phase.equals("X")) {
                assertTrue(event.get("dur").asDouble() >= 0 && event.get("ts").asDouble() >= 0, event.toString());
                last = Math.max(
                        last, event.get("ts").asDouble() + event.get("dur").asDouble());
            }
        }
        assertEquals(starts, ends);
        assertTrue(phases.containsAll(Set.of("M", "X", "C")), phases.toString());
        double step =
                read("result.json").get("plans").get(0).get("step_seconds").asDouble();
        assertEquals(step, last / 1e6, step * 0.02);
    }

    /** The plan that was written is simulated to the same nanosecond and byte, and written again is the same file. */
    @Test
    void simulateReadsThePlan() throws IOException {
        Run run = Run.of(
                "simulate",
                folder.resolve("plan.json").toString(),
                "--json",
                folder.resolve("again.json").toString(),
                "-o",
                folder.resolve("plan-again.json").toString());
        assertEquals(0, run.status(), run.err());
        assertEquals(
                read("result.json").get("plans").get(0),
                read("again.json").get("plans").get(0));
        assertEquals(
                Files.readString(folder.resolve("plan.json")), Files.readString(folder.resolve("plan-again.json")));
    }

    /** Options given beside a plan.json replace what it says. */
    @Test
    void simulateWithAnotherCluster() throws IOException {
        String plan = folder.resolve("plan.json").toString();
        Run run = Run.line("simulate " + plan + " --cluster dgx-h100/2 --quiet --json -");
        assertEquals(0, run.status(), run.err());
        JsonNode json = JSON.readTree(run.out());
        assertEquals("dgx-h100/2", json.get("cluster").get("name").asText());
        assertEquals(
                read("plan.json").get("plan").get("text"),
                json.get("plans").get(0).get("plan"));
        Run other = Run.line("simulate " + plan + " --plan pp=2 --global-batch 16 --quiet --json -");
        assertEquals(
                "tp=1,pp=2,dp=1,mb=1",
                JSON.readTree(other.out()).get("plans").get(0).get("plan").asText());
        assertEquals(
                16,
                JSON.readTree(other.out()).get("workload").get("global_batch").asInt());
    }

    @Test
    void explainSaysWhatOthersLose() {
        Run run = Run.of("explain", folder.resolve("plan.json").toString());
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("One change at a time"), run.out());
        assertTrue(run.out().contains("Against the best of a new search"), run.out());
        assertFalse(run.out().contains("This plan is not the best"), run.out());
    }

    @Test
    void explainAgainstAGivenPlan() {
        String plan = folder.resolve("plan.json").toString();
        Run run = Run.of("explain", plan, "--against", "tp=2,recompute=full", "--against", "pp=2");
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().contains("  tp=2,pp=1,dp=1,mb=1,recompute=full\n"), run.out());
        assertTrue(run.out().contains("  tp=1,pp=2,dp=1,mb=1\n"), run.out());
        assertTrue(run.out().contains("loses "), run.out());
        Run.of("explain", plan, "--against", "tp=3").assertMistake();
    }

    /** A file edited so that its full form no longer agrees with its short form is refused, not half believed. */
    @Test
    void anEditedPlanIsRefused() throws IOException {
        String text = Files.readString(folder.resolve("plan.json"));
        String edited = text.replaceFirst("(\"block/attention[^\"]*\": \\{)[^}]*\\}", "$1 }");
        if (edited.equals(text)) {
            edited = text.replaceFirst("(\"placements\": \\{\\s*\"[^\"]+\": \\{)[^}]*\\}", "$1 }");
        }
        assertFalse(edited.equals(text), text);
        Path file = Files.writeString(folder.resolve("edited.json"), edited);
        Run run = Run.of("simulate", file.toString());
        run.assertMistake();
        assertTrue(run.err().contains("plan.placements"), run.err());
    }

    /** AIConfigurator #437: a plan that does not fit is an answer: status 1, which stage, how much over, what fits. */
    @Test
    void aPlanThatDoesNotFit() throws IOException {
        Run run = Run.line("simulate llama2-7b --cluster dgx-a100-40gb:1 --global-batch 64 --plan tp=2,mb=4 --json "
                + folder.resolve("big.json"));
        assertEquals(1, run.status(), run.err());
        assertTrue(run.out().contains("The plan does not fit"), run.out());
        assertTrue(run.out().contains("GiB over"), run.out());
        JsonNode miss = read("big.json").get("nearest_miss");
        assertEquals("memory", miss.get("reason").asText());
        assertTrue(miss.get("need_bytes").asLong() > miss.get("have_bytes").asLong());
        String maybe = miss.get("maybe").asText();
        String changed = maybe.replaceAll("^Maybe ([^:]+(?::\\d+)?[^:]*): it takes.*$", "$1");
        Run again = Run.line("simulate llama2-7b --cluster dgx-a100-40gb:1 --global-batch 64 --plan " + changed);
        assertEquals(0, again.status(), maybe + "\n" + again.out() + again.err());
    }

    @Test
    void catalogsAreListedAndWritten() throws IOException {
        List<String> formats = new ArrayList<>();
        for (String verb : List.of("models", "clusters", "methods", "frameworks")) {
            Run run = Run.of(verb, "--json", folder.resolve(verb + ".json").toString());
            assertEquals(0, run.status(), run.err());
            assertFalse(run.out().isBlank());
            formats.add(read(verb + ".json").get("format").asText());
            assertFalse(read(verb + ".json").get(verb).isEmpty());
        }
        assertEquals(
                List.of("shardplan.models/1", "shardplan.clusters/1", "shardplan.methods/1", "shardplan.frameworks/1"),
                formats);
    }

    @Test
    void resultsAloneGoToStdout() throws IOException {
        Run run = Run.line("plan " + PROBLEM + " --top 1 --json -");
        assertEquals(
                "shardplan.result/1", JSON.readTree(run.out()).get("format").asText());
    }
}
