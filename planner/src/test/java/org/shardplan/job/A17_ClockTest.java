package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: steps of many years. What the simulator's clock can't hold is a mistake, never an overflow. */
final class A17_ClockTest {
    @TempDir
    private Path folder;

    /** Two racks of 32, and a link between them at so many bits a second. */
    private String cluster(String rate) throws IOException {
        return Files.writeString(folder.resolve("slow.yaml"), """
                        format: shardplan.cluster/1
                        name: slow
                        device: h100-sxm-80gb
                        devices: 64
                        levels:
                          - name: nvlink
                            devices: 32
                            one-way: 450GB/s
                            latency: 2us
                          - name: spine
                            devices: all
                            one-way: RATE
                            latency: 8us
                        """.replace("RATE", rate))
                .toString();
    }

    @Test
    void aStepBeyondTheClockIsAMistake() throws IOException {
        String cluster = cluster("900kbit/s");
        UserError simulated = assertThrows(
                UserError.class,
                () -> SmallProblems.simulate("gpt3-175b", cluster, "1000000", "", "tp=32,dp=2,mb=1,zero=3"));
        String message = String.valueOf(simulated.getMessage());
        assertTrue(message.contains("the simulator's clock holds 36.5 years"), message);
        assertTrue(simulated.maybe().startsWith("Maybe a smaller global batch"), simulated.maybe());
    }

    @Test
    void aSearchThatFindsNothingElseSaysSo() throws IOException {
        String cluster = cluster("900kbit/s");
        String fix = "tp=32,pp=1,dp=2,mb=1,sp,recompute=full,zero=3";
        UserError planned =
                assertThrows(UserError.class, () -> SmallProblems.plan("gpt3-175b", cluster, "1000000", fix, ""));
        String message = String.valueOf(planned.getMessage());
        assertTrue(message.contains("within 36.5 years"), message);
    }

    /** Each of a million micro-batches sends 2048 · 12288 elements of 2 bytes, a 32nd of them from each rank, there and back. */
    @Test
    void aStepOfMonthsIsPredicted() throws IOException {
        double sends = 1e6 * 2 * (2048.0 * 12288 * 2 / 32) / (900e3 / 8);
        double seconds = SmallProblems.prediction(SmallProblems.simulate(
                        "gpt3-175b", cluster("900kbit/s"), "1000000", "", "tp=32,pp=2,mb=1,sp,recompute=full"))
                .stepSeconds();
        assertTrue(seconds > 0.5 * sends && seconds < 8 * sends, seconds + " of which sends " + sends);
    }
}
