package org.shardplan.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.shardplan.sim.Timeline;

/** FEATURE UNDER TEST: the trace for Perfetto. Input: 1F1B, two ranks, two micro-batches. */
final class A05_TraceReportTest {
    private static List<JsonNode> events(Timeline timeline, String phase) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TraceReport.write(timeline, "sample", bytes);
        JsonNode json = new ObjectMapper().readTree(bytes.toByteArray());
        assertEquals("sample", json.get("otherData").get("title").asText());
        return StreamSupport.stream(json.get("traceEvents").spliterator(), false)
                .filter(event -> event.get("ph").asText().equals(phase))
                .toList();
    }

    @Test
    void eachEventIsASlice() throws IOException {
        Timeline timeline = Samples.oneForwardOneBackward(2, 2);
        List<JsonNode> slices = events(timeline, "X");
        assertEquals(timeline.events().size(), slices.size());
        JsonNode second = slices.get(1);
        assertEquals("send 0", second.get("name").asText());
        assertEquals(0, new BigDecimal("0.1").compareTo(second.get("ts").decimalValue()), "100 ns");
        assertEquals(0, new BigDecimal("0.01").compareTo(second.get("dur").decimalValue()), "10 ns");
    }

    @Test
    void flowsGoFromEachSendToWhatItFeeds() throws IOException {
        Timeline timeline = Samples.oneForwardOneBackward(2, 2);
        Map<Long, JsonNode> starts = new HashMap<>();
        events(timeline, "s").forEach(start -> starts.put(start.get("id").asLong(), start));
        List<JsonNode> ends = events(timeline, "f");
        assertEquals(4, ends.size(), "two forward, two backward");
        assertEquals(4, starts.size());
        for (JsonNode end : ends) {
            JsonNode start = starts.get(end.get("id").asLong());
            assertTrue(end.get("ts").asDouble() > start.get("ts").asDouble());
            assertTrue(end.get("pid").asInt() != start.get("pid").asInt());
        }
    }

    @Test
    void tracksHaveNamesAndMemoryHasACounter() throws IOException {
        Timeline timeline = Samples.oneForwardOneBackward(2, 2);
        List<String> names = events(timeline, "M").stream()
                .map(event -> event.get("args").get("name").asText())
                .toList();
        assertEquals(
                List.of(
                        "rank 0 (64 devices)",
                        "compute",
                        "send forward",
                        "data",
                        "rank 1 (64 devices)",
                        "compute",
                        "send backward",
                        "data"),
                names);
        List<JsonNode> counters = events(timeline, "C");
        assertEquals(timeline.memory().size(), counters.size());
        assertEquals(
                1001, counters.getFirst().get("args").get("allocated_bytes").asLong());
    }

    @Test
    void aLargeTimelineIsWrittenAsItGoes() throws IOException {
        long[] length = {0};
        OutputStream counting = new OutputStream() {
            @Override
            public void write(int b) {
                length[0]++;
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                length[0] += count;
            }
        };
        TraceReport.write(Samples.oneForwardOneBackward(64, 2000), "large", counting);
        assertTrue(length[0] > 50_000_000L, () -> String.valueOf(length[0]));
    }
}
