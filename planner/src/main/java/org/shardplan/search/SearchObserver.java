package org.shardplan.search;

/** Who watches a search: hears of its progress and may end it. Called from any worker, so it must be safe for that. */
public interface SearchObserver {

    /**
     * Called now and then.
     *
     * @param done outer tuples evaluated or pruned
     * @param space of how many; 0 = not known yet
     * @param bestSeconds step of the best plan so far, NaN = none yet
     */
    void progress(long done, long space, double bestSeconds);

    /** Whether to end now with the best so far. */
    boolean stopRequested();

    /** Hears nothing, never stops. */
    SearchObserver NONE = new SearchObserver() {
        @Override
        public void progress(long done, long space, double bestSeconds) {}

        @Override
        public boolean stopRequested() {
            return false;
        }
    };
}
