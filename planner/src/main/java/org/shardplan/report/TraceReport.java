package org.shardplan.report;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.shardplan.sim.Timeline;
import org.shardplan.sim.Timeline.Event;
import org.shardplan.sim.Timeline.Kind;
import org.shardplan.sim.Timeline.MemoryPoint;
import org.shardplan.sim.Timeline.Stream;

/**
 * A timeline in Chrome's JSON trace format, for Perfetto: a process a rank class, a track a stream, flows from sends to what
 * they feed, a memory counter. Times are microseconds with three decimals, so whole nanoseconds. Written as it goes; nothing is
 * held but the start of each slot that a send may feed.
 */
public final class TraceReport {
    private static final int STREAMS = Stream.values().length;

    private final Timeline timeline;
    private final JsonGenerator json;
    /** Start and track of the forward (even key) and backward (odd key) slots. */
    private final Map<Long, Event> slots = new HashMap<>();

    private TraceReport(Timeline timeline, JsonGenerator json) {
        this.timeline = timeline;
        this.json = json;
    }

    /**
     * Writes the trace; leaves {@code out} open.
     *
     * @param title of the whole, shown as trace metadata
     */
    public static void write(Timeline timeline, String title, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonText.compact(out)) {
            new TraceReport(timeline, json).write(title);
        }
    }

    private void write(String title) throws IOException {
        json.writeStartObject();
        json.writeStringField("displayTimeUnit", "ms");
        json.writeObjectFieldStart("otherData");
        json.writeStringField("title", title);
        json.writeEndObject();
        json.writeArrayFieldStart("traceEvents");
        names();
        index();
        long flow = 0;
        for (Event event : timeline.events()) {
            slice(event);
            if (event.kind() == Kind.SEND && event.peerRank() >= 0 && event.peerRank() != event.rank()) {
                Event fed = slots.get(fedBy(event));
                if (fed != null) {
                    flow++;
                    flow("s", flow, event, event.startNanos());
                    flow("f", flow, fed, fed.startNanos());
                }
            }
        }
        for (MemoryPoint point : timeline.memory()) {
            memory(point);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void names() throws IOException {
        boolean[] used = new boolean[timeline.ranks() * STREAMS];
        for (Event event : timeline.events()) {
            used[event.rank() * STREAMS + number(event.stream())] = true;
        }
        for (int rank = 0; rank < timeline.ranks(); rank++) {
            String devices = timeline.multiplicity() > 1 ? " (" + timeline.multiplicity() + " devices)" : "";
            name("process_name", rank, 0, "rank " + rank + devices);
            for (Stream stream : Stream.values()) {
                if (used[rank * STREAMS + number(stream)]) {
                    name(
                            "thread_name",
                            rank,
                            track(rank, stream),
                            stream.name().toLowerCase(Locale.ROOT).replace('_', ' '));
                }
            }
        }
    }

    private void name(String what, int rank, int track, String name) throws IOException {
        head("M", what, rank, track);
        json.writeObjectFieldStart("args");
        json.writeStringField("name", name);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void index() {
        for (Event event : timeline.events()) {
            if (event.kind() == Kind.FORWARD || event.kind() == Kind.BACKWARD) {
                slots.put(key(event.stage(), event.microBatch(), event.kind() == Kind.BACKWARD), event);
            }
        }
    }

    /** A forward send of stage q feeds stage q + 1, a backward one stage q - 1. */
    private static long fedBy(Event send) {
        boolean backward = send.stream() == Stream.SEND_BACKWARD;
        return key(send.stage() + (backward ? -1 : 1), send.microBatch(), backward);
    }

    private static long key(int stage, int microBatch, boolean backward) {
        return ((long) stage << 33) | ((long) microBatch << 1) | (backward ? 1 : 0);
    }

    private void slice(Event event) throws IOException {
        head("X", label(event), event.rank(), track(event.rank(), event.stream()));
        json.writeStringField("cat", event.kind().name().toLowerCase(Locale.ROOT));
        micros("ts", event.startNanos());
        micros("dur", event.endNanos() - event.startNanos());
        json.writeObjectFieldStart("args");
        if (event.stage() >= 0) {
            json.writeNumberField("stage", event.stage());
        }
        if (event.microBatch() >= 0) {
            json.writeNumberField("micro_batch", event.microBatch());
        }
        if (event.peerRank() >= 0) {
            json.writeNumberField("peer_rank", event.peerRank());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private static String label(Event event) {
        String number = event.microBatch() < 0 ? "" : String.valueOf(event.microBatch());
        return switch (event.kind()) {
            case FORWARD -> "F" + number;
            case BACKWARD -> "B" + number;
            case WEIGHT -> "W" + number;
            case SEND -> "send " + number;
            case GRADIENT_REDUCE -> "reduce gradients";
            case OPTIMIZER -> "optimizer";
            case HOST -> "host";
        };
    }

    private void flow(String phase, long id, Event at, long nanos) throws IOException {
        head(phase, "send", at.rank(), track(at.rank(), at.stream()));
        json.writeStringField("cat", "send");
        json.writeNumberField("id", id);
        micros("ts", nanos);
        if (phase.equals("f")) {
            json.writeStringField("bp", "e");
        }
        json.writeEndObject();
    }

    private void memory(MemoryPoint point) throws IOException {
        head("C", "memory", point.rank(), 0);
        micros("ts", point.nanos());
        json.writeObjectFieldStart("args");
        json.writeNumberField("allocated_bytes", point.allocatedBytes());
        json.writeEndObject();
        json.writeEndObject();
    }

    private void head(String phase, String name, int rank, int track) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", phase);
        json.writeStringField("name", name);
        json.writeNumberField("pid", rank + 1);
        json.writeNumberField("tid", track);
    }

    private void micros(String key, long nanos) throws IOException {
        json.writeFieldName(key);
        long fraction = nanos % 1000;
        json.writeNumber(nanos / 1000
                + (fraction == 0 ? "" : "." + (fraction < 10 ? "00" : fraction < 100 ? "0" : "") + fraction));
    }

    /** Tracks have numbers of their own across all ranks, from 1. */
    private static int track(int rank, Stream stream) {
        return rank * STREAMS + number(stream) + 1;
    }

    private static int number(Stream stream) {
        return switch (stream) {
            case COMPUTE -> 0;
            case SEND_FORWARD -> 1;
            case SEND_BACKWARD -> 2;
            case DATA -> 3;
        };
    }
}
