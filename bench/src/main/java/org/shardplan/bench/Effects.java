package org.shardplan.bench;

import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.shardplan.cost.Calibration;
import org.shardplan.cost.Calibration.Constant;
import org.shardplan.job.Prices;

/** The effects that the model has, each with data under which it is left out. */
final class Effects {
    /** A rate at which nothing takes time, FLOP/s. */
    private static final double FREE = 1e21;

    private Effects() {}

    /** The whole model first. */
    static List<Effect> of(Prices prices) {
        Calibration shipped = prices.calibration();
        return List.of(
                Effect.ofPrices("(nothing)", prices),
                Effect.ofRow("recomputation", prices, RowChanges::withoutRecomputation),
                Effect.ofRow("products by shape (0.7 of peak instead)", prices, RowChanges::withoutTable),
                Effect.ofPrices("sustained clocks", with(shipped, key -> key.startsWith("sustained/"), 1)),
                Effect.ofPrices("slow odd sizes", with(shipped, Effects::ofOddSizes, 1)),
                Effect.ofPrices(
                        "attention",
                        with(
                                with(shipped, Effects::ofAttentionRates, FREE).calibration(),
                                "scores/traffic"::equals,
                                0)),
                Effect.ofPrices("attention by software, fill and length", plainAttention(shipped)),
                Effect.ofFramework("memory-bound kernels", prices, FrameworkChanges::withoutTraffic),
                Effect.ofRow("embedding, head and loss", prices, RowChanges::withoutVocabulary),
                Effect.ofProgram("unlike stages (their mean instead)", prices, ProgramChanges::withLikeStages),
                Effect.ofRow("interleaved schedule", prices, RowChanges::withoutChunks),
                Effect.ofRow("collectives within a node", prices, RowChanges::freeInside),
                Effect.ofRow("collectives between nodes", prices, RowChanges::freeOutside),
                Effect.ofRow("network efficiency (nominal rates)", prices, RowChanges::nominalRates),
                Effect.ofFramework(
                        "overlap of tensor-parallel collectives", prices, FrameworkChanges::withoutTensorOverlap),
                Effect.ofFramework("interference of what overlaps", prices, FrameworkChanges::withoutInterference),
                Effect.ofProgram("data-parallel reductions", prices, ProgramChanges::withoutReductions),
                Effect.ofFramework(
                        "overlap of data-parallel collectives", prices, FrameworkChanges::withoutDataOverlap),
                Effect.ofRow("ZeRO-3 gathers", prices, RowChanges::withoutGathers),
                Effect.ofProgram("pipeline sends", prices, ProgramChanges::withoutSends),
                Effect.ofFramework("host", prices, FrameworkChanges::withoutHost),
                Effect.ofProgram("optimizer", prices, ProgramChanges::withoutOptimizer));
    }

    private static boolean ofOddSizes(String key) {
        return key.endsWith("/misaligned") || key.equals("product/odd");
    }

    private static boolean ofAttentionRates(String key) {
        return key.startsWith("attention/") && (key.endsWith("/forward") || key.endsWith("/backward"));
    }

    /** The same calibration with some constants changed. */
    private static Prices with(Calibration calibration, Predicate<String> which, double value) {
        TreeMap<String, Constant> constants = new TreeMap<>(calibration.constants());
        constants.replaceAll((key, constant) -> which.test(key) ? new Constant(value, "left out") : constant);
        return Prices.of(new Calibration(calibration.fitted(), constants, calibration.residuals()));
    }

    /** One rate for a family, whatever runs it, however few blocks there are and however short the sequence. */
    private static Prices plainAttention(Calibration calibration) {
        TreeMap<String, Constant> constants = new TreeMap<>(calibration.constants());
        constants.keySet().removeIf(key -> ofAttentionRates(key) && key.split("/").length > 3);
        constants.replaceAll((key, constant) ->
                key.endsWith("-waves") || key.endsWith("/short-sequence") ? new Constant(0, "left out") : constant);
        return Prices.of(new Calibration(calibration.fitted(), constants, calibration.residuals()));
    }
}
