package org.shardplan.plan;

/** Generators of schedule tables. */
public enum ScheduleKind {
    /** All forward passes, then all backward passes (Huang et al., NeurIPS 2019). */
    GPIPE("gpipe"),
    /** One forward, one backward after a warm-up of p - rank (PipeDream-Flush; Narayanan et al., SC'21). */
    ONE_F_ONE_B("1f1b"),
    /** 1F1B over vpp chunks a rank (SC'21, section 2.2). */
    INTERLEAVED("interleaved");

    private final String text;

    ScheduleKind(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
