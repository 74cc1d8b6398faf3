package org.shardplan.cli;

import java.util.Locale;
import org.shardplan.search.SearchObserver;

/** Progress of a search: one line on stderr that is drawn over, gone at the end; nothing where stderr is no terminal. */
final class Progress implements SearchObserver, AutoCloseable {
    private static final long FIRST_NANOS = 300_000_000L;
    private static final long EVERY_NANOS = 100_000_000L;

    private final Session session;
    private final boolean shown;
    private long nextNanos = System.nanoTime() + FIRST_NANOS;
    private boolean drawn;

    Progress(Session session) {
        this.session = session;
        this.shown = session.terminal.errorsShown() && !session.quiet;
    }

    @Override
    public void progress(long done, long space, double bestSeconds) {
        if (shown) {
            draw(done, space, bestSeconds);
        }
    }

    private synchronized void draw(long done, long space, double bestSeconds) {
        long now = System.nanoTime();
        if (now - nextNanos < 0) {
            return;
        }
        nextNanos = now + EVERY_NANOS;
        drawn = true;
        String of = space <= 0
                ? String.format(Locale.ROOT, "%,d", done)
                : String.format(Locale.ROOT, "%,d of %,d (%.0f %%)", done, space, 100.0 * done / space);
        String best = Double.isNaN(bestSeconds) ? "" : String.format(Locale.ROOT, ", best %.3g s a step", bestSeconds);
        session.err.print("\rsearching: " + of + best + "\033[K");
        session.err.flush();
    }

    @Override
    public boolean stopRequested() {
        return session.interruption.requested();
    }

    /** Wipes the line. */
    @Override
    public synchronized void close() {
        if (drawn) {
            session.err.print("\r\033[K");
            session.err.flush();
            drawn = false;
        }
    }
}
