package org.shardplan.cost;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.shardplan.program.Task.CollectiveKind;

/** Measured collectives within one node or NVLink domain, by kind, ranks and bytes. Immutable. */
public final class CollectiveCurves {
    private final Map<CollectiveKind, Curve[]> curves;
    private final Curve[] inSwitch;
    private final String source;

    private CollectiveCurves(Builder builder) {
        this.curves = new EnumMap<>(CollectiveKind.class);
        for (Map.Entry<CollectiveKind, List<Curve>> entry : builder.curves.entrySet()) {
            curves.put(entry.getKey(), entry.getValue().toArray(new Curve[0]));
        }
        this.inSwitch = builder.inSwitch.toArray(new Curve[0]);
        this.source = builder.source;
    }

    public String source() {
        return source;
    }

    /**
     * Time among {@code ranks} ≥ 2, never falling with bytes. Between measured numbers of ranks the times are interpolated;
     * beyond the last, more steps of the same pieces (GB200, its 4 ranks told 72: within 10 % from 0.5 to 8 GB), and one
     * latency step for each doubling.
     *
     * @param bytes whole buffer, as {@code Task.Collective} counts it
     * @param inSwitchReduction all-reduces add in the switch, where that was measured
     */
    public double seconds(CollectiveKind kind, int ranks, long bytes, boolean inSwitchReduction) {
        Curve[] mine = curves.get(kind);
        if (mine == null) {
            // half of an all-reduce moves what one of the others does
            return 0.5 * seconds(CollectiveKind.ALL_REDUCE, ranks, bytes, false);
        }
        if (kind == CollectiveKind.ALL_REDUCE && inSwitchReduction && inSwitch.length > 0) {
            mine = inSwitch;
        }
        int last = mine.length - 1;
        if (ranks >= mine[last].ranks && kind == CollectiveKind.ALL_TO_ALL) {
            // all peers are sent to at once: the bytes count, not how many pieces they are in
            int most = mine[last].ranks;
            return mine[last].at(bytes) * ((ranks - 1.0) / ranks) / ((most - 1.0) / most);
        }
        if (ranks >= mine[last].ranks) {
            Curve most = mine[last];
            double longer = mine == inSwitch ? (double) ranks / most.ranks : (ranks - 1.0) / (most.ranks - 1.0);
            double step = last == 0 ? 0 : Math.max(0, most.seconds[0] - mine[last - 1].seconds[0]);
            double doublings = Math.log((double) ranks / most.ranks) / Math.log(2);
            double latency = most.at(0);
            return latency + doublings * step + longer * (most.at(bytes * most.ranks / ranks) - latency);
        }
        int i = 0;
        while (mine[i + 1].ranks < ranks) {
            i++;
        }
        if (ranks <= mine[i].ranks) {
            return mine[i].at(bytes);
        }
        double share = Math.log((double) ranks / mine[i].ranks) / Math.log((double) mine[i + 1].ranks / mine[i].ranks);
        return mine[i].at(bytes) * (1 - share) + mine[i + 1].at(bytes) * share;
    }

    /** Times at powers of two bytes. */
    private record Curve(int ranks, long firstBytes, double[] seconds) {

        double at(long bytes) {
            int last = seconds.length - 1;
            if (bytes < firstBytes) {
                // on the line through the first two points, at most down to half of the first
                double slope = (seconds[1] - seconds[0]) / firstBytes;
                return Math.max(0.5 * seconds[0], seconds[0] - slope * (firstBytes - bytes));
            }
            int i = Math.min(
                    63 - Long.numberOfLeadingZeros(bytes) - (63 - Long.numberOfLeadingZeros(firstBytes)), last - 1);
            long from = firstBytes << i;
            return seconds[i] + (seconds[i + 1] - seconds[i]) * ((double) (bytes - from) / from);
        }
    }

    static final class Builder {
        private final Map<CollectiveKind, List<Curve>> curves = new EnumMap<>(CollectiveKind.class);
        private final List<Curve> inSwitch = new ArrayList<>();
        private String source = "";

        /** Curves of one kind come in ascending order of ranks. */
        void add(String kind, int ranks, long firstBytes, double[] seconds, String from) {
            Curve curve = new Curve(ranks, firstBytes, seconds);
            source = from;
            if (kind.equals("all_reduce_switch")) {
                inSwitch.add(curve);
            } else {
                CollectiveKind key = CollectiveKind.valueOf(kind.toUpperCase(Locale.ROOT));
                List<Curve> mine = curves.getOrDefault(key, new ArrayList<>());
                mine.add(curve);
                curves.put(key, mine);
            }
        }

        CollectiveCurves build() {
            return new CollectiveCurves(this);
        }
    }
}
