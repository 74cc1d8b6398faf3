package org.shardplan.search;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.shardplan.cost.PricedProgram;
import org.shardplan.cost.ProgramPricer;
import org.shardplan.cost.StageMemory;
import org.shardplan.plan.PlanRules;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Schedule;
import org.shardplan.plan.Shorthand;
import org.shardplan.program.Program;
import org.shardplan.program.ProgramLowering;
import org.shardplan.sim.ClosedForm;
import org.shardplan.sim.PeakFormula;
import org.shardplan.sim.Sweep;
import org.shardplan.units.Printed;
import org.shardplan.units.UserError;

/** Lowers, prices and sweeps one plan after another. One object a thread: it owns its arrays. */
public final class Scorer {
    /** Of a slot: its place in the schedule, its end, its input's arrival. */
    private static final int BYTES_OF_SLOT = 24;

    private final PlanRules rules;
    private final ProgramLowering lowering;
    private final ProgramPricer pricer;
    private final ScheduleCache schedules;
    private final long globalBatch;
    private final AtomicBoolean beyondClock;
    private final ClosedForm closedForm = new ClosedForm();
    private final Sweep sweep = new Sweep();

    /** @param beyondClock set once a plan was refused because the simulator's clock, or its memory, can't hold its step */
    Scorer(
            PlanRules rules,
            ProgramLowering lowering,
            ProgramPricer pricer,
            ScheduleCache schedules,
            long globalBatch,
            AtomicBoolean beyondClock) {
        this.beyondClock = beyondClock;
        this.rules = rules;
        this.lowering = lowering;
        this.pricer = pricer;
        this.schedules = schedules;
        this.globalBatch = globalBatch;
    }

    public Program program(Shorthand plan) {
        return lowering.lower(rules.expand(plan, globalBatch));
    }

    /** @throws UserError where the simulator's clock can't hold the step */
    public PricedProgram price(Program program) {
        PricedProgram priced = pricer.price(program);
        if (!priced.onClock()) {
            throw new UserError(
                    "the tasks of " + PlanText.print(program.plan().shorthand()) + " take "
                            + Printed.years(priced.nanosInAll() / 1e9)
                            + " a step one after another, and the simulator's clock holds "
                            + Printed.years(PricedProgram.MOST_NANOS / 1e9),
                    "Maybe a smaller global batch, or a faster link: a rate of the cluster may have the wrong unit");
        }
        if (!holds(priced)) {
            throw new UserError(
                    "a step of " + PlanText.print(program.plan().shorthand()) + " has "
                            + Printed.count(Math.round(slots(priced)))
                            + " slots, more than this machine's memory holds",
                    "Maybe a smaller global batch, or more data ranks");
        }
        return priced;
    }

    /** Empty where the simulator's clock, or this machine's memory, can't hold the step. */
    public Optional<PricedProgram> onClock(Program program) {
        return Optional.of(pricer.price(program)).filter(PricedProgram::onClock).filter(Scorer::holds);
    }

    /** Whether the tables of a step's slots fit in memory beside those of another thread. */
    private static boolean holds(PricedProgram priced) {
        return slots(priced) * BYTES_OF_SLOT < Runtime.getRuntime().maxMemory() / 4;
    }

    private static double slots(PricedProgram priced) {
        return 2.0 * priced.schedule().stages() * priced.schedule().microBatches();
    }

    /** The plan priced from blocks that were priced before: equal to lowering and pricing its program. */
    PricedProgram price(Shorthand plan, ShapeCost shape) {
        return pricer.price(shape.input(plan, schedule(plan)));
    }

    /**
     * The plan's score; empty where it does not fit, can't be faster than {@code thresholdNanos}, or is beyond the clock.
     *
     * @param capacityBytes that its worst rank may take, context included
     */
    Optional<Score> score(Shorthand plan, ShapeCost shape, long thresholdNanos, long capacityBytes, long number) {
        PricedProgram priced = price(plan, shape);
        if (!priced.onClock()) {
            beyondClock.set(true);
            return Optional.empty();
        }
        if (closedForm.bound(priced) > thresholdNanos) {
            return Optional.empty();
        }
        long peak = peakBytes(priced, plan);
        if (peak > capacityBytes) {
            return Optional.empty();
        }
        if (!holds(priced)) {
            beyondClock.set(true);
            return Optional.empty();
        }
        long nanos = sweep.run(priced);
        return nanos > thresholdNanos ? Optional.empty() : Optional.of(new Score(plan, nanos, peak, number));
    }

    /** The schedule of a plan that has one. */
    Schedule schedule(Shorthand plan) {
        int micro = (int) (globalBatch / ((long) plan.dp() * plan.microBatch()));
        return schedules.get(plan.schedule(), plan.pp(), plan.vpp(), micro);
    }

    /** The plan's memory alone, from blocks that were priced before. */
    StageMemory memory(Shorthand plan, ShapeCost shape) {
        return pricer.memory().price(shape.input(plan, schedule(plan)));
    }

    /** Reserved and context bytes of a rank. */
    static long rankBytes(StageMemory memory, Schedule schedule, int rank) {
        long allocated = PeakFormula.allocatedBytes(memory, schedule, rank);
        return allocated + (long) Math.ceil(allocated * memory.fragmentation()) + memory.contextBytes();
    }

    /** Reserved and context bytes of the worst rank. */
    static long peakBytes(PricedProgram priced, Shorthand plan) {
        long worst = 0;
        for (int rank = 0; rank < plan.pp(); rank++) {
            worst = Math.max(worst, rankBytes(priced.memory(), priced.schedule(), rank));
        }
        return worst;
    }
}
