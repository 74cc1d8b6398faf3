package org.shardplan.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: asks the search to stop and gives the main thread some seconds to report the best so far. The JVM
 * then ends with 130 or 143 by itself.
 */
final class Interruption {
    private static final int PATIENCE_SECONDS = 10;

    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean requested;

    /** Listens from now on; once a process. */
    void listen() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "interruption"));
    }

    private void stop() {
        requested = true;
        try {
            if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("shardplan: interrupted, and nothing was found yet");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean requested() {
        return requested;
    }

    /** All is written: an exit need not wait. */
    void finish() {
        finished.countDown();
    }
}
