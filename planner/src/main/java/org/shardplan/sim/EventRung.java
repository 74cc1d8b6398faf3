package org.shardplan.sim;

import org.shardplan.cluster.Cluster;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.plan.PlanText;
import org.shardplan.program.Program;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/**
 * Evaluator {@code events}: scores a program again where the cluster says that a device or a link is slow, that tasks jitter, or that
 * what meets on a link shares it. One object a thread.
 */
public final class EventRung {
    public static final String NAME = "events";

    /** So many slots take about half a minute. */
    private static final double MOST_SLOTS = 1e8;

    /** Tasks on a link at once: what shares it may take so many times as long. */
    private static final int CROWD = 8;

    private final Cluster cluster;
    private final ProgramPricer pricer;
    private final long seed;
    private final Events events = new Events();
    private final Sweep sweep = new Sweep();

    /** @param seed of jitter */
    public EventRung(Cluster cluster, ProgramPricer pricer, long seed) {
        this.cluster = cluster;
        this.pricer = pricer;
        this.seed = seed;
    }

    /** Whether a sweep would miss something. */
    public boolean applies() {
        return cluster.disturbances().any();
    }

    /** Nanoseconds of a step. @throws UserError where it takes too long to simulate, or is beyond the clock */
    public long stepNanos(Program program, PricedProgram priced) {
        return events.run(lanes(program, priced));
    }

    /** Where the step goes, of the lane that ends last. */
    Breakdown breakdown(Program program, PricedProgram priced) {
        Lanes lanes = lanes(program, priced);
        long calm = events.run(new Lanes(lanes.lanes(), lanes.width(), lanes.jitter(), lanes.seed(), false));
        long step = lanes.contention() ? events.run(lanes) : calm;
        Breakdown alone = Breakdown.of(lanes.lanes().get(slowest(lanes)).program(), sweep);
        long waiting = Math.clamp(calm - alone.makespan(), 0, step - alone.makespan());
        return alone.lengthened(waiting, step - alone.makespan() - waiting);
    }

    Timeline timeline(Program program, PricedProgram priced) {
        Lanes lanes = lanes(program, priced);
        events.run(lanes);
        int slowest = slowest(lanes);
        Lane lane = lanes.lanes().get(slowest);
        EventRecord record = new EventRecord();
        events.run(lanes, slowest, record);
        return EventTimelines.of(lane.program(), record, lanes.width() * lane.multiplicity());
    }

    /** The lane that ends last in the run before. */
    private int slowest(Lanes lanes) {
        int slowest = 0;
        long last = -1;
        for (int lane = 0; lane < lanes.lanes().size(); lane++) {
            for (int rank = 0; rank < lanes.lanes().get(lane).program().head().length; rank++) {
                if (events.ownEnd(lane, rank) > last) {
                    last = events.ownEnd(lane, rank);
                    slowest = lane;
                }
            }
        }
        return slowest;
    }

    private Lanes lanes(Program program, PricedProgram priced) {
        double all = 2.0 * priced.schedule().stages() * priced.schedule().microBatches();
        int count = cluster.disturbances().jitter() > 0 ? LaneRefinement.count(program.plan()) : 1;
        if (all * count > MOST_SLOTS) {
            throw new UserError(
                    "events of " + PlanText.print(program.plan().shorthand()) + ": "
                            + Printed.count(Math.round(all * count)) + " slots to simulate, at most "
                            + Printed.count(Math.round(MOST_SLOTS)),
                    count > 1
                            ? "Maybe leave jitter out: then data ranks that are alike are simulated as one."
                            : "Maybe leave stragglers, jitter and contention out.");
        }
        Lanes lanes = LaneRefinement.of(program.plan(), priced, pricer.links(program), cluster, seed);
        for (Lane lane : lanes.lanes()) {
            double longest = lane.program().nanosInAll() * (1 + lanes.jitter()) * (lanes.contention() ? CROWD : 1);
            if (longest > PricedProgram.MOST_NANOS) {
                throw new UserError(
                        "a step of " + PlanText.print(program.plan().shorthand())
                                + " may take longer than the simulator's clock holds, "
                                + Printed.years(PricedProgram.MOST_NANOS / 1e9),
                        "Maybe a smaller global batch, or stragglers that are less slow");
            }
        }
        return lanes;
    }
}
