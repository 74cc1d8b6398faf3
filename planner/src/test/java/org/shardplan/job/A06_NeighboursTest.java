package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Shorthand;

/** FEATURE UNDER TEST: plans one choice away. */
final class A06_NeighboursTest {
    private static List<String> of(String plan) {
        return Neighbours.of(PlanText.parse(plan, 64)).stream()
                .map(neighbour -> neighbour.change() + ": " + PlanText.print(neighbour.plan()))
                .toList();
    }

    @Test
    void eachChoiceAlone() {
        assertEquals(
                List.of(
                        "tp=4 (8): tp=4,pp=4,vpp=2,dp=4,mb=1,sp,zero=1",
                        "tp=16 (8): tp=16,pp=4,vpp=2,dp=1,mb=1,sp,zero=1",
                        "pp=2 (4): tp=8,pp=2,vpp=2,dp=4,mb=1,sp,zero=1",
                        "pp=8 (4): tp=8,pp=8,vpp=2,dp=1,mb=1,sp,zero=1",
                        "cp=2 (1): tp=8,pp=4,vpp=2,dp=1,cp=2,mb=1,sp,zero=1",
                        "vpp=1 (2): tp=8,pp=4,dp=2,mb=1,sp,zero=1",
                        "vpp=4 (2): tp=8,pp=4,vpp=4,dp=2,mb=1,sp,zero=1",
                        "mb=2 (1): tp=8,pp=4,vpp=2,dp=2,mb=2,sp,zero=1",
                        "sp=off: tp=8,pp=4,vpp=2,dp=2,mb=1,zero=1",
                        "zero=0 (1): tp=8,pp=4,vpp=2,dp=2,mb=1,sp",
                        "zero=2 (1): tp=8,pp=4,vpp=2,dp=2,mb=1,sp,zero=2",
                        "recompute=selective: tp=8,pp=4,vpp=2,dp=2,mb=1,sp,zero=1,recompute=selective",
                        "recompute=full: tp=8,pp=4,vpp=2,dp=2,mb=1,sp,zero=1,recompute=full"),
                of("tp=8,pp=4,vpp=2,mb=1,sp,zero=1"));
    }

    /** A layout and recomputation by rank hold for their stages alone; sp ends with tp. */
    @Test
    void whatHangsOnAnotherChoiceFollows() {
        List<String> all = of("tp=2,pp=2,sp,recompute=full:1/0,layout=Et|t*3L");
        assertEquals("tp=1 (2): tp=1,pp=2,dp=32,mb=1,recompute=full:1/0,layout=Et|t*3L", all.getFirst());
        assertEquals("pp=1 (2): tp=2,pp=1,dp=32,mb=1,sp", all.get(2));
        assertEquals("recompute=none: tp=2,pp=2,dp=16,mb=1,sp,layout=Et|t*3L", all.get(all.size() - 3));
    }

    @Test
    void noneIsThePlanItself() {
        for (String text : List.of("tp=1", "pp=2,recompute=full:1/0", "tp=8,pp=8,vpp=5,recompute=selective")) {
            Shorthand plan = PlanText.parse(text, 64);
            Neighbours.of(plan).forEach(neighbour -> assertNotEquals(plan, neighbour.plan(), neighbour.change()));
        }
    }
}
