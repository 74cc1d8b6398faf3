package org.shardplan.job;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardplan.cluster.Economics;
import org.shardplan.graph.DataType;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.search.Campaign;
import org.shardplan.search.Objective;
import org.shardplan.units.UserError;
import org.shardplan.workload.Framework;

/** Reads {@code --tokens} and says what a whole run of a setting is. */
final class TrainingGoal {
    private static final Pattern TOKENS = Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,12})?)([kKMBGT]?)");
    private static final Map<String, BigDecimal> FACTORS = Map.of(
            "", BigDecimal.ONE,
            "k", BigDecimal.valueOf(1_000),
            "m", BigDecimal.valueOf(1_000_000),
            "b", BigDecimal.valueOf(1_000_000_000),
            "g", BigDecimal.valueOf(1_000_000_000),
            "t", BigDecimal.valueOf(1_000_000_000_000L));
    private static final BigDecimal MOST = new BigDecimal("1e18");

    private TrainingGoal() {}

    /** {@code 300B}, {@code 1.4T}, {@code 300000000000}. */
    static long tokens(String text, String option) {
        Matcher matcher = TOKENS.matcher(text.strip());
        if (!matcher.matches()) {
            throw new UserError(
                    option + " \"" + text + "\" is not a number of tokens", "Maybe " + option + " 300B, or 1.4T");
        }
        BigDecimal tokens = new BigDecimal(matcher.group(1))
                .multiply(FACTORS.get(matcher.group(2).toLowerCase(Locale.ROOT)));
        if (tokens.compareTo(BigDecimal.ONE) < 0 || tokens.compareTo(MOST) > 0) {
            throw new UserError(
                    option + " " + text + " is not between 1 and 10^18", "Maybe " + option + " 300B, or 1.4T");
        }
        return tokens.longValue();
    }

    /** Empty where no tokens are given. */
    static Optional<Campaign> campaign(Setting setting, String tokens, boolean byNode) {
        if (tokens.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Campaign(
                tokens(tokens, "--tokens"),
                setting.workload().tokensPerStep(),
                setting.cluster().devices(),
                setting.cluster().nodeSize(),
                byNode,
                setting.cluster().economics(),
                checkpointBytes(setting)));
    }

    /** Weights in the training precision, the 32-bit master copy and the optimizer's states, as the framework keeps them. */
    private static double checkpointBytes(Setting setting) {
        Framework.Memory memory = setting.framework().memory();
        DataType precision = setting.workload().precision();
        double parameters =
                TransformerGraph.build(setting.model().sizes(), 1, 1).parameterElements();
        int weights = precision.bytes < 2 ? 2 : precision.bytes;
        int master = precision == DataType.FP32 ? 0 : memory.masterBytes();
        return parameters * (weights + master + (double) setting.workload().optimizer().states * memory.stateBytes());
    }

    /** @throws UserError where what the objective or a limit needs is not given */
    static void check(Optional<Campaign> campaign, Objective objective, AtMost atMost, String cluster) {
        boolean days = Double.isFinite(atMost.days());
        if (campaign.isEmpty() && (days || objective == Objective.COST)) {
            throw new UserError(
                    (days ? "--at-most days" : "--objective cost")
                            + " needs to know how much is trained: --tokens is missing",
                    "Maybe --tokens 300B");
        }
        Economics economics = campaign.map(Campaign::economics).orElse(Economics.UNKNOWN);
        if (objective == Objective.COST && Double.isNaN(economics.dollarsPerDeviceHour())) {
            throw new UserError(
                    "--objective cost: the price of " + cluster + " is unknown",
                    "Maybe --cluster " + cluster + ",price=2.50USD/h, which is what one device costs.");
        }
    }
}
