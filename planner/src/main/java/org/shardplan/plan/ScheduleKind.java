package org.shardplan.plan;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the order of a pipeline's slots comes from: a generator of schedule tables, or a table that the user gave. The sources of the
 * generators stand at {@link Schedules}.
 */
public final class ScheduleKind {
    /** All forward passes, then all backward passes (Huang et al., NeurIPS 2019). */
    public static final ScheduleKind GPIPE = new ScheduleKind("gpipe", 0, 1, 1, false, Way.LOOP);
    /** One forward, one backward after a warm-up of p - rank (PipeDream-Flush; Narayanan et al., SC'21). */
    public static final ScheduleKind ONE_F_ONE_B = new ScheduleKind("1f1b", 1, 1, 1, false, Way.LOOP);
    /** 1F1B over vpp chunks a rank (SC'21, section 2.2). */
    public static final ScheduleKind INTERLEAVED = new ScheduleKind("interleaved", 2, 0, 1, false, Way.LOOP);
    /** 1F1B whose weight gradients fill the bubble, in no more memory (Qi et al. 2023, ZB-H1). */
    public static final ScheduleKind ZB_H1 = new ScheduleKind("zb-h1", 3, 1, 1, true, Way.LOOP);
    /** Likewise in twice the memory, without a bubble where F, B and W take as long (Qi et al. 2023, ZB-H2). */
    public static final ScheduleKind ZB_H2 = new ScheduleKind("zb-h2", 4, 1, 1, true, Way.LOOP);
    /** Two chunks a rank, down and up again, in the memory of 1F1B (Qi et al. 2023 and 2024, ZB-V). */
    public static final ScheduleKind ZB_V = new ScheduleKind("zb-v", 5, 2, 1, true, Way.VEE);
    /** Two copies of the model, fed from both ends, forward beside backward (DeepSeek-V3 report 2024, figure 5). */
    public static final ScheduleKind DUALPIPE = new ScheduleKind("dualpipe", 6, 1, 2, true, Way.VEE);
    /** DualPipe cut in half: one copy, two chunks a rank (Qi et al. 2025, "cut-in-half"). */
    public static final ScheduleKind DUALPIPE_V = new ScheduleKind("dualpipev", 7, 2, 1, true, Way.VEE);

    private static final List<ScheduleKind> GENERATORS =
            List.of(GPIPE, ONE_F_ONE_B, INTERLEAVED, ZB_H1, ZB_H2, ZB_V, DUALPIPE, DUALPIPE_V);

    /** How stages lie on ranks: one after another in rounds, or down and up again. */
    private enum Way {
        LOOP,
        VEE
    }

    private final String text;
    private final int number;
    private final int chunks;
    private final int copies;
    private final boolean splits;
    private final Way way;
    private final @Nullable Schedule given;

    private ScheduleKind(String text, int number, int chunks, int copies, boolean splits, Way way) {
        this(text, number, chunks, copies, splits, way, null);
    }

    private ScheduleKind(
            String text, int number, int chunks, int copies, boolean splits, Way way, @Nullable Schedule given) {
        this.text = text;
        this.number = number;
        this.chunks = chunks;
        this.copies = copies;
        this.splits = splits;
        this.way = way;
        this.given = given;
    }

    /** All generators. */
    public static List<ScheduleKind> values() {
        return GENERATORS;
    }

    /**
     * A table that the user gave.
     *
     * @param text the file's name, as the plan's text has it
     */
    static ScheduleKind given(String text, Schedule table) {
        int chunks = table.stagesOfCopy() / table.ranks();
        return new ScheduleKind(text, GENERATORS.size(), chunks, table.copies(), table.splits(), Way.LOOP, table);
    }

    /** As in a plan's text. */
    public String text() {
        return text;
    }

    /** As in a framework's statement: {@code table} for one that the user gave. */
    public String word() {
        return given == null ? text : "table";
    }

    /** Its place among the generators; a table's is behind them. */
    public int number() {
        return number;
    }

    /** Chunks of a rank, of one copy of the model: the only number that it has; 0 where any number above 1 will do. */
    public int chunks() {
        return chunks;
    }

    /** Copies of the model over all ranks: 2 where micro-batches enter at both ends. */
    public int copies() {
        return copies;
    }

    /** Whether weight gradients have slots of their own. */
    public boolean splits() {
        return splits;
    }

    /** GPipe, 1F1B and interleaved 1F1B: those that have formulas of their own. */
    public boolean isClassic() {
        return number <= INTERLEAVED.number;
    }

    /** Whether the table was given by the user. */
    public Optional<Schedule> table() {
        return Optional.ofNullable(given);
    }

    /**
     * Rank of a virtual stage: one after another, in rounds, or down and up again; those of a second copy come behind those of the first,
     * and start on the last rank.
     */
    public int rankOf(int stage, int pp) {
        if (given != null) {
            return given.rankOf(stage);
        }
        return way == Way.LOOP || stage < pp ? stage % pp : 2 * pp - 1 - stage;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScheduleKind kind
                && kind.number == number
                && kind.text.equals(text)
                && Objects.equals(kind.given, given);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
