package org.shardplan.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.shardplan.search.Budget;
import org.shardplan.search.Hybrid;
import org.shardplan.search.Problem;
import org.shardplan.search.SearchObserver;
import org.shardplan.search.SearchResult;

/** The whole search of P1 on all cores, nothing lowered or priced before; in a new JVM, then again once it is warm. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 10)
@Fork(1)
public class SearchBench {
    private final Problem problem = SamplePlans.p1();

    @Benchmark
    public SearchResult search() {
        return new Hybrid(Runtime.getRuntime().availableProcessors())
                .search(problem, SamplePlans.evaluation(problem), Budget.NONE, SearchObserver.NONE);
    }
}
