package org.shardplan.plan;

/** Whether a plan can be used. A plan that can't is a value, not an exception. */
public sealed interface Verdict {

    /** It is legal, and fits where memory was checked. */
    record Fits() implements Verdict {}

    /**
     * It needs more memory than there is.
     *
     * @param stage pipeline rank that is over
     * @param needBytes reserved, context and margin included
     * @param haveBytes what the driver leaves to a process
     */
    record TooBig(int stage, long needBytes, long haveBytes) implements Verdict {}

    /**
     * It breaks a rule.
     *
     * @param rule short name, for example {@code heads-divisible}
     * @param why with the values
     * @param maybe the nearest legal setting
     */
    record Illegal(String rule, String why, String maybe) implements Verdict {}

    Verdict OK = new Fits();
}
