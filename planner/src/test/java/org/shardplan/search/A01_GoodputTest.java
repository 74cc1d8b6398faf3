package org.shardplan.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.cluster.Economics;

/** FEATURE UNDER TEST: what failures cost, and what a whole run does. */
final class A01_GoodputTest {

    /** No interval is better than Daly's by more than a part in a thousand, until a checkpoint takes a fifth of the time between failures. */
    @ParameterizedTest
    @CsvSource({"1e6, 10, 60", "10800, 60, 600", "3600, 300, 300", "1e5, 2000, 0"})
    void noIntervalIsBetter(double mtbf, double checkpoint, double restart) {
        Goodput goodput = Goodput.of(mtbf, checkpoint, restart);
        for (double factor = 0.2; factor < 5; factor *= 1.05) {
            double other = Goodput.share(mtbf, checkpoint, restart, goodput.intervalSeconds() * factor);
            assertTrue(other <= goodput.share() + 1e-3, factor + ": " + other + " > " + goodput.share());
        }
    }

    /** The formula's time is that of failures drawn at random. */
    @ParameterizedTest
    @CsvSource({"10800, 60, 600", "3600, 120, 1800"})
    void drawnFailuresAgree(double mtbf, double checkpoint, double restart) {
        Goodput goodput = Goodput.of(mtbf, checkpoint, restart);
        SplittableRandom random = new SplittableRandom(7);
        double wall = 0;
        int segments = 40_000;
        for (int done = 0; done < segments; ) {
            double left = fails(random, mtbf);
            double segment = goodput.intervalSeconds() + checkpoint;
            if (left >= segment) {
                wall += segment;
                done++;
                continue;
            }
            wall += left;
            for (left = fails(random, mtbf); left < restart; left = fails(random, mtbf)) {
                wall += left; // failed again while it started
            }
            wall += restart;
        }
        assertEquals(goodput.share(), segments * goodput.intervalSeconds() / wall, 0.01);
    }

    private static double fails(SplittableRandom random, double mtbf) {
        return -mtbf * Math.log1p(-random.nextDouble());
    }

    @Test
    void extremes() {
        assertEquals(1, Goodput.of(1e12, 1, 1).share(), 1e-4);
        assertEquals(100, Goodput.of(100, 1000, 10).intervalSeconds());
        assertTrue(Goodput.of(10, 1000, 1000).share() < 1e-9);
        assertTrue(Double.isNaN(Goodput.of(Double.NaN, 1, 1).share()));
        assertTrue(Double.isNaN(Goodput.of(1000, Double.NaN, 1).intervalSeconds()));
        assertTrue(Double.isNaN(Goodput.of(1000, 1, Double.NaN).share()));
    }

    /** Ten devices at 2 USD an hour and 500 W, a building that takes half as much again; a day of steps. */
    @Test
    void daysDollarsAndEnergyByHand() {
        Economics known = new Economics(2, 500, 1.5, Double.NaN, Double.NaN, Double.NaN, "");
        Campaign campaign = new Campaign(8_640_000, 1000, 10, 4, false, known, 1e9);
        TrainingRun run = campaign.run(10, 9, 11, 6);
        assertEquals(8640, run.steps());
        assertEquals(1, run.days(), 1e-12);
        assertEquals(0.9, run.lowDays(), 1e-12);
        assertEquals(10, run.devicesCharged(), "idle devices are paid for");
        assertEquals(480, run.dollars(), 1e-9);
        assertEquals(10 * 0.5 * 1.5 * 24, run.kilowattHours(), 1e-9);
        assertTrue(Double.isNaN(run.expectedDays()), "failures are unknown, not none");
        Campaign byNode = new Campaign(8_640_000, 1000, 10, 4, true, known, 1e9);
        assertEquals(8, byNode.charged(6), "whole nodes are");
        assertEquals(10, campaign.stepSecondsWithin(1, 6), 1e-12);
    }

    /** Twice the devices fail twice as often; days, dollars and failures follow the goodput. */
    @Test
    void failuresGrowWithDevices() {
        Economics known = new Economics(2, 500, 1, 50_000 * 3600.0, 600, 1e10, "");
        Campaign campaign = new Campaign(1_000_000_000L, 1000, 16_384, 8, false, known, 1e12);
        TrainingRun large = campaign.run(1, 1, 1, 16_384);
        assertEquals(50_000 * 3600.0 / 16_384, large.goodput().mtbfSeconds(), 1e-6);
        assertEquals(large.goodput().mtbfSeconds() * 2, campaign.goodput(8192).mtbfSeconds(), 1e-6);
        assertEquals(100, large.goodput().checkpointSeconds(), 1e-9);
        assertEquals(large.days() / large.goodput().share(), large.expectedDays(), 1e-9);
        assertEquals(large.expectedDays() * 86_400 / large.goodput().mtbfSeconds(), large.failures(), 1e-6);
        assertEquals(1, campaign.stepSecondsWithin(large.expectedDays(), 16_384), 1e-9);
    }
}
