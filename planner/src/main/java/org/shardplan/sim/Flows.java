package org.shardplan.sim;

import java.util.Arrays;

/**
 * A clock, and streams of which each runs at most one task: which ends next, and how tasks that meet on a link share it.
 *
 * <p>A task wants a share of each link that it uses, which makes it last as long as it was priced. Where all that meet on one want more
 * than there is, the link is shared out fairly: nobody gets more than the same limit, those who want less get what they want (max-min
 * fairness, on each link by itself). A task goes at the pace of the link that gives it least; what that leaves over elsewhere is not given
 * away, so that no link ever carries more than it can, and a change is felt only by those who use a link with the one that came or went.
 *
 * <p>Whole nanoseconds; rounding only lengthens. Allocates nothing once its arrays are large enough. Ends at the same time come in
 * order of stream.
 */
final class Flows {
    private static final double ROUNDING = 1e-9;

    private int links;
    private int cellStep;
    private long now;

    // a heap of streams by end
    private int[] heap = {};
    private int size;
    private int[] place = {};

    // by stream
    private long[] end = {};
    private long[] since = {};
    private long[] left = {};
    private double[] speed = {};
    private int[] from = {};
    private int[] to = {};
    private int[] cells = {};
    /** By stream and link. */
    private double[] demand = {};

    /** By cell and link; both directions alike. */
    private double[] capacity = {};
    // by port = cell, link, direction
    private int[] used = {};
    private double[] limit = {};
    private int[] at = {};
    private int room = 8;

    /** @param cellStep between the cells of a task on several */
    void reset(int streams, int cellCount, int linkCount, int cellStep) {
        links = linkCount;
        this.cellStep = cellStep;
        now = 0;
        size = 0;
        if (end.length < streams) {
            heap = new int[streams];
            place = new int[streams];
            end = new long[streams];
            since = new long[streams];
            left = new long[streams];
            speed = new double[streams];
            from = new int[streams];
            to = new int[streams];
            cells = new int[streams];
        }
        Arrays.fill(place, 0, streams, -1);
        if (demand.length < streams * links) {
            demand = new double[streams * links];
        }
        int ports = cellCount * links * 2;
        if (used.length < ports) {
            used = new int[ports];
            limit = new double[ports];
            at = new int[ports * room];
            capacity = new double[ports / 2];
        }
        Arrays.fill(used, 0, ports, 0);
        Arrays.fill(limit, 0, ports, Double.POSITIVE_INFINITY);
    }

    void capacity(int cell, int link, double share) {
        capacity[cell * links + link] = share;
    }

    long now() {
        return now;
    }

    boolean idle(int stream) {
        return place[stream] < 0;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** A task that uses no link. */
    void start(int stream, long nanos) {
        cells[stream] = 0;
        left[stream] = nanos;
        since[stream] = now;
        speed[stream] = 1;
        end[stream] = now + nanos;
        heap[size] = stream;
        place[stream] = size;
        rise(size++);
    }

    /** Share that the task of this stream wants of a link; to be set before it starts. */
    void want(int stream, int link, double share) {
        demand[stream * links + link] = share;
    }

    /**
     * A task that leaves the devices of {@code count} cells from {@code out} on and enters those from {@code in} on.
     */
    void start(int stream, long nanos, int out, int in, int count) {
        start(stream, nanos);
        boolean any = false;
        for (int link = 0; link < links; link++) {
            any |= demand[stream * links + link] > 0;
        }
        if (any && nanos > 0) {
            from[stream] = out;
            to[stream] = in;
            cells[stream] = count;
            visit(stream, true);
            respeed(stream);
        }
    }

    /** Ends the task that ends first and moves the clock there; its stream. */
    int next() {
        int stream = heap[0];
        now = end[stream];
        place[stream] = -1;
        int last = heap[--size];
        if (size > 0) {
            heap[0] = last;
            place[last] = 0;
            sink(0);
        }
        if (cells[stream] > 0) {
            visit(stream, false);
        }
        return stream;
    }

    /** Takes a task's place on all its ports, or gives it up. */
    private void visit(int stream, boolean joins) {
        for (int i = 0; i < cells[stream]; i++) {
            for (int link = 0; link < links; link++) {
                if (demand[stream * links + link] > 0) {
                    visit(stream, port(from[stream] + i * cellStep, link, 0), link, joins);
                    visit(stream, port(to[stream] + i * cellStep, link, 1), link, joins);
                }
            }
        }
    }

    private int port(int cell, int link, int direction) {
        return (cell * links + link) * 2 + direction;
    }

    private void visit(int stream, int port, int link, boolean joins) {
        if (joins) {
            if (used[port] == room) {
                grow();
            }
            at[port * room + used[port]++] = stream;
        } else {
            int first = port * room;
            int index = first;
            while (at[index] != stream) {
                index++;
            }
            at[index] = at[first + --used[port]];
        }
        double before = limit[port];
        limit[port] = limit(port, link);
        if (limit[port] != before) {
            for (int i = 0; i < used[port]; i++) {
                int other = at[port * room + i];
                if (other != stream) {
                    respeed(other);
                }
            }
        }
    }

    private void grow() {
        int wider = room * 2;
        int[] moved = new int[used.length * wider];
        for (int port = 0; port < used.length; port++) {
            System.arraycopy(at, port * room, moved, port * wider, used[port]);
        }
        at = moved;
        room = wider;
    }

    /** What nobody gets more of; infinity where there is enough for all. */
    private double limit(int port, int link) {
        double free = capacity[port / 2];
        double wanted = 0;
        for (int i = 0; i < used[port]; i++) {
            wanted += demand[at[port * room + i] * links + link];
        }
        if (wanted <= free * (1 + ROUNDING)) {
            return Double.POSITIVE_INFINITY;
        }
        int sharers = used[port];
        double most = free / sharers;
        while (true) {
            double rest = free;
            int more = 0;
            for (int i = 0; i < used[port]; i++) {
                double want = demand[at[port * room + i] * links + link];
                if (want <= most) {
                    rest -= want;
                } else {
                    more++;
                }
            }
            if (more == sharers || more == 0) {
                return most;
            }
            sharers = more;
            most = rest / more;
        }
    }

    /** The pace of the link that gives the task least. */
    private void respeed(int stream) {
        double slowest = 1;
        for (int link = 0; link < links; link++) {
            double want = demand[stream * links + link];
            for (int i = 0; i < cells[stream] && want > 0; i++) {
                slowest = Math.min(slowest, limit[port(from[stream] + i * cellStep, link, 0)] / want);
                slowest = Math.min(slowest, limit[port(to[stream] + i * cellStep, link, 1)] / want);
            }
        }
        if (slowest != speed[stream]) {
            long elapsed = now - since[stream];
            long done = speed[stream] == 1 ? elapsed : (long) (elapsed * speed[stream]);
            left[stream] -= done;
            since[stream] = now;
            speed[stream] = slowest;
            long before = end[stream];
            end[stream] = now + (slowest == 1 ? left[stream] : (long) Math.ceil(left[stream] / slowest));
            if (end[stream] < before) {
                rise(place[stream]);
            } else {
                sink(place[stream]);
            }
        }
    }

    /** What a port carries now, as a share of the link's full rate. */
    double load(int cell, int link, int direction) {
        int port = port(cell, link, direction);
        double load = 0;
        for (int i = 0; i < used[port]; i++) {
            int stream = at[port * room + i];
            load += speed[stream] * demand[stream * links + link];
        }
        return load;
    }

    private boolean before(int left, int right) {
        return end[left] < end[right] || (end[left] == end[right] && left < right);
    }

    private void rise(int index) {
        int stream = heap[index];
        int hole = index;
        while (hole > 0 && before(stream, heap[(hole - 1) / 2])) {
            heap[hole] = heap[(hole - 1) / 2];
            place[heap[hole]] = hole;
            hole = (hole - 1) / 2;
        }
        heap[hole] = stream;
        place[stream] = hole;
    }

    private void sink(int index) {
        int stream = heap[index];
        int hole = index;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && before(heap[child + 1], heap[child])) {
                child++;
            }
            if (!before(heap[child], stream)) {
                break;
            }
            heap[hole] = heap[child];
            place[heap[hole]] = hole;
            hole = child;
        }
        heap[hole] = stream;
        place[stream] = hole;
    }
}
