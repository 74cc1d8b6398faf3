package org.shardplan.search;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.shardplan.units.UserError;

/** Threads that work on items in parallel; results come in the order of the items, whatever the number of threads. */
final class Workers implements AutoCloseable {
    private final ExecutorService pool;

    Workers(int threads) {
        pool = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "search");
            thread.setDaemon(true);
            return thread;
        });
    }

    <T, R> List<R> map(List<T> items, Function<T, R> work) {
        List<Callable<R>> calls = new ArrayList<>();
        for (T item : items) {
            calls.add(() -> work.apply(item));
        }
        try {
            List<R> results = new ArrayList<>();
            for (Future<R> future : pool.invokeAll(calls)) {
                results.add(future.get());
            }
            return results;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("search interrupted", interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof UserError mistake) {
                throw mistake;
            }
            throw new IllegalStateException("search failed", failed.getCause());
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
