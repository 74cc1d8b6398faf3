package org.shardplan.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.units.UserError;

/** Plans as text: what is omitted, what is refused, and that print and parse are inverse. */
class A02_PlanTextTest {

    /** Read on 1,024 devices. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "''; tp=1,pp=1,dp=1024,mb=1",
                "tp=8,pp=16; tp=8,pp=16,dp=8,mb=1",
                "tp=8,pp=16,vpp=3,mb=1,sp,zero=1,recompute=selective;"
                        + " tp=8,pp=16,vpp=3,dp=8,mb=1,sp,zero=1,recompute=selective",
                " pp = 4 , sp=off, tp=08, schedule=gpipe; tp=8,pp=4,dp=32,mb=1,schedule=gpipe",
                "tp=8,dp=100; tp=8,pp=1,dp=100,mb=1",
                "tp=2,pp=16,ep=64,sp; tp=2,pp=16,dp=32,ep=64,mb=1,sp",
                "tp=4,ep=8,etp=4,sp; tp=4,pp=1,dp=256,ep=8,etp=4,mb=1,sp",
                "tp=4,ep=1,etp=1; tp=4,pp=1,dp=256,mb=1",
                "order=dp-pp-tp,pp=2,recompute=full; tp=1,pp=2,dp=512,mb=1,recompute=full,order=dp-pp-tp",
                "recompute=selective+full:4; tp=1,pp=1,dp=1024,mb=1,recompute=selective+full:4",
                "pp=4,recompute=full:3/2/2/1; tp=1,pp=4,dp=256,mb=1,recompute=full:3/2/2/1",
                "pp=8,vpp=5,layout=Et*2|(t*2|)*34,t*3|(t*2|)*3,tL,tp=4;"
                        + " tp=4,pp=8,vpp=5,dp=32,mb=1,layout=Et*2|(t*2|)*34t*3|(t*2|)*3tL",
                "pp=2,layout='Et*5,|,t*5L',sp; tp=1,pp=2,dp=512,mb=1,sp,layout=Et*5|t*5L"
            })
    void readsAndPrints(String text, String canonical) {
        assertEquals(canonical, PlanText.print(PlanText.parse(text, 1024)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "tp=0; tp=0 is below 1; Maybe tp=1",
                "tp=-1; tp=-1 is not a whole number; Maybe tp=8",
                "tp=8.5; tp=8.5 is not a whole number; Maybe",
                "tp=; tp has no value; Maybe tp=8",
                "tp; tp has no value; Maybe tp=8",
                "tp=99999999999999999999; tp=99999999999999999999 is larger than any cluster; Maybe a digit",
                "tp=100000,pp=100000,dp=2; is more than any cluster has; Maybe a digit",
                "tp=8,tp=8; tp stands twice; Maybe",
                "tp=8,,pp=2; nothing stands between two commas; Maybe",
                "tp=8,; nothing stands; Maybe",
                "ttp=8; unknown key 'ttp'; Maybe etp;",
                "mbs=8; unknown key 'mbs'; Maybe mb;",
                "TP=8; unknown key 'TP'; Maybe tp;",
                "recomp=full; unknown key 'recomp'; Maybe recompute;",
                "cp-type=star; cp-type=star has no meaning; Maybe one of ring, all-gather, ulysses",
                "replicas=0; replicas=0 is below 1; Maybe",
                "zero=4; zero=4 is not a ZeRO stage; Maybe zero=3",
                "sp=maybe; sp=maybe is neither on nor off; Maybe sp alone",
                "recompute=some; recompute=some has no meaning; Maybe one of none, selective",
                "recompute=full:x; recompute=full:x is not a whole number; Maybe",
                "recompute=full:3//1; is not a whole number; Maybe",
                "recompute=full:3*; recompute=full:3* is not a whole number from 1 up; Maybe",
                "recompute=full:*3; recompute=full: is not a whole number from 0 up; Maybe",
                "recompute=full:3*0; recompute=full:3*0 is below 1; Maybe",
                "recompute=full:3*2*2; recompute=full:3*2*2 is not a whole number; Maybe",
                "recompute=full:1*99999/1*2; more than 100000 ranks; Maybe a digit too many",
                "schedule=zb; schedule=zb has no meaning; Maybe one of gpipe",
                "order=tp-pp; order=tp-pp has no meaning; Maybe one of pp-dp-tp",
                "layout=E; it has no layers; Maybe layout=",
                "quantisation=4; unknown key; Maybe a misprint"
            })
    void refuses(String text, String message, String maybe) {
        UserError error = assertThrows(UserError.class, () -> PlanText.parse(text, 1024));
        assertTrue(error.getMessage().contains(message), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe") && error.maybe().contains(maybe), error.maybe());
    }

    /** Megatron-LM #5768: the commonest mistake of all. */
    @Test
    void refusesAWorldSizeThatDoesNotDivide() {
        UserError error = assertThrows(UserError.class, () -> PlanText.parse("tp=8,pp=10", 128));
        assertEquals("world size: 128 devices are not a multiple of tp·pp = 8·10 = 80", error.getMessage());
        assertEquals("Maybe dp=1, which leaves 48 devices idle, or pp=8.", error.maybe());
    }

    @Test
    void whatIsNotFixedIsOpen() {
        FixedChoices fixed = PlanText.parseFixed("tp=8,recompute=full,sp=off");
        assertEquals(OptionalInt.of(8), fixed.tp());
        assertEquals(Optional.of(false), fixed.sequenceParallel());
        assertEquals(Optional.of(Recompute.FULL), fixed.recompute());
        assertEquals(OptionalInt.empty(), fixed.pp());
        assertEquals(Optional.empty(), fixed.layout());
        assertEquals(FixedChoices.NONE, PlanText.parseFixed(""));
        assertTrue(fixed.allows(PlanText.parse("tp=8,pp=4,recompute=full", 64)));
        assertFalse(fixed.allows(PlanText.parse("tp=8,pp=4,recompute=full,sp", 64)));
    }

    /** A list that fills lines is printed by its runs; a short one as it is. */
    @Test
    void printsRunsOfRanks() {
        String runs = "tp=1,pp=98,dp=1,mb=1,recompute=full:0/1*96/2";
        List<Integer> counts = PlanText.parse(runs, 98).fullRecomputeByStage();
        assertEquals(98, counts.size());
        assertEquals(
                96,
                counts.stream()
                        .mapToInt(Integer::intValue)
                        .filter(count -> count == 1)
                        .count());
        assertEquals(runs, PlanText.print(PlanText.parse(runs, 98)));
        assertEquals(
                "tp=1,pp=4,dp=1,mb=1,recompute=selective+full:2/2/2/1",
                PlanText.print(PlanText.parse("pp=4,recompute=selective+full:2*3/1", 4)));
    }

    @Property
    void roundTrips(@ForAll("plans") Shorthand plan) {
        assertEquals(plan, PlanText.parse(PlanText.print(plan), 7));
        assertTrue(PlanText.parseFixed(PlanText.print(plan)).allows(plan));
    }

    @Provide
    Arbitrary<Shorthand> plans() {
        Arbitrary<Integer> degree = Arbitraries.integers().between(1, 500);
        Arbitrary<Recompute> recompute = Combinators.combine(
                        Arbitraries.of(Recompute.Mode.values()), Arbitraries.of(0, 1, 17, Recompute.ALL))
                .as((mode, full) -> full == Recompute.ALL ? Recompute.FULL : new Recompute(mode, full));
        Arbitrary<List<Integer>> counts =
                Arbitraries.integers().between(0, 12).list().ofMaxSize(9);
        // long lists have runs of the same count
        Arbitrary<List<Integer>> ranks =
                Arbitraries.integers().between(0, 2).list().ofMaxSize(30);
        Arbitrary<List<Integer>> layout =
                counts.filter(list -> list.isEmpty() || list.stream().anyMatch(count -> count > 0));
        Arbitrary<List<Integer>> byStage = ranks.filter(list -> list.size() != 1);
        Arbitrary<Shorthand> degrees = Combinators.combine(degree, degree, degree, degree, degree)
                .as((tp, pp, vpp, dp, mb) -> plan(tp, pp, vpp, dp, mb));
        return Combinators.combine(
                        degrees,
                        Arbitraries.of(true, false),
                        Arbitraries.integers().between(0, 3),
                        recompute,
                        Arbitraries.of(ScheduleKind.values()),
                        Arbitraries.of(MeshOrder.values()),
                        layout,
                        byStage)
                .as((base, sp, zero, policy, schedule, order, stages, full) -> new Shorthand(
                        base.tp(),
                        base.pp(),
                        base.vpp(),
                        base.dp(),
                        base.microBatch(),
                        sp,
                        zero,
                        full.isEmpty() ? policy : new Recompute(policy.mode(), 0),
                        schedule,
                        order,
                        stages,
                        full));
    }

    private static Shorthand plan(int tp, int pp, int vpp, int dp, int mb) {
        return new Shorthand(
                tp,
                pp,
                vpp,
                dp,
                mb,
                false,
                0,
                Recompute.NONE,
                ScheduleKind.ONE_F_ONE_B,
                MeshOrder.PP_DP_TP,
                List.of(),
                List.of());
    }
}
