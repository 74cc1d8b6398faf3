package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.plan.ContextParallel;
import org.shardplan.plan.Recompute;
import org.shardplan.plan.Shorthand;

/** Plans that differ from one in a single choice; dp follows where the devices of a model copy change. */
final class Neighbours {
    /**
     * One of them.
     *
     * @param change for example {@code tp=4 (8)}: the new value, and the old one in parentheses
     * @param plan legal or not
     */
    record Neighbour(String change, Shorthand plan) {}

    private Neighbours() {}

    static List<Neighbour> of(Shorthand plan) {
        List<Neighbour> all = new ArrayList<>();
        degrees(plan, all);
        policies(plan, all);
        return List.copyOf(all);
    }

    private static void degrees(Shorthand plan, List<Neighbour> all) {
        boolean more = plan.dp() % 2 == 0;
        for (int tp : around(plan.tp(), more)) {
            add("tp", tp, plan.tp(), new PlanEdit(plan).tp(tp), all);
        }
        for (int pp : around(plan.pp(), more)) {
            add("pp", pp, plan.pp(), new PlanEdit(plan).pp(pp), all);
        }
        context(plan, more, all);
        if (plan.vpp() > 3) {
            add("vpp", 1, plan.vpp(), new PlanEdit(plan).vpp(1), all);
        }
        for (int vpp : around(plan.vpp(), plan.pp() > 1)) {
            add("vpp", vpp, plan.vpp(), new PlanEdit(plan).vpp(vpp), all);
        }
        for (int size : around(plan.microBatch(), true)) {
            add("mb", size, plan.microBatch(), new PlanEdit(plan).microBatch(size), all);
        }
    }

    private static void context(Shorthand plan, boolean more, List<Neighbour> all) {
        for (int cp : around(plan.cp(), more)) {
            add("cp", cp, plan.cp(), new PlanEdit(plan).cp(cp), all);
        }
        for (ContextParallel.Type type : plan.cp() > 1 ? ContextParallel.Type.values() : new ContextParallel.Type[0]) {
            if (type != plan.context().type()) {
                all.add(new Neighbour(
                        "cp-type=" + type.text(),
                        new PlanEdit(plan).contextType(type).done()));
            }
        }
        for (int replicas : plan.replicas() > 1 ? around(plan.replicas(), true) : List.<Integer>of()) {
            add("replicas", replicas, plan.replicas(), new PlanEdit(plan).replicas(replicas), all);
        }
    }

    private static void policies(Shorthand plan, List<Neighbour> all) {
        if (plan.tp() > 1) {
            boolean on = !plan.sequenceParallel();
            all.add(new Neighbour(
                    on ? "sp" : "sp=off",
                    new PlanEdit(plan).sequenceParallel(on).done()));
        }
        for (int zero : new int[] {plan.zero() - 1, plan.zero() + 1}) {
            if (zero >= 0 && zero <= 3 && plan.parameterRanks() > 1) {
                add("zero", zero, plan.zero(), new PlanEdit(plan).zero(zero), all);
            }
        }
        for (Recompute other : List.of(Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL)) {
            boolean same = other.equals(plan.recompute())
                    && plan.fullRecomputeByStage().isEmpty();
            if (!same) {
                Shorthand changed = new PlanEdit(plan).recompute(other).done();
                all.add(new Neighbour("recompute=" + other.text(), changed));
            }
        }
    }

    /** Half and double. */
    private static List<Integer> around(int degree, boolean more) {
        List<Integer> around = new ArrayList<>();
        if (degree > 1) {
            around.add(degree % 2 == 0 ? degree / 2 : 1);
        }
        if (more) {
            around.add(degree * 2);
        }
        return around;
    }

    private static void add(String key, int now, int before, PlanEdit edit, List<Neighbour> all) {
        all.add(new Neighbour(key + "=" + now + " (" + before + ")", edit.done()));
    }
}
