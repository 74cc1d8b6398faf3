package org.shardplan.report;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.sim.Prediction.TimeShares;

/**
 * One part of a step.
 *
 * @param key in JSON, without the unit: {@code exposed_tp}
 * @param label for people
 * @param seconds of the slowest rank
 */
record Share(String key, String label, double seconds) {

    /** All parts in the order of the result document; they sum to the step. */
    static List<Share> of(TimeShares time) {
        return List.of(
                new Share("compute", "compute", time.compute()),
                new Share("exposed_tp", "exposed tp", time.exposedTensor()),
                new Share("exposed_cp", "exposed cp", time.exposedContext()),
                new Share("exposed_ep", "exposed ep", time.exposedExpert()),
                new Share("exposed_pp", "exposed pp", time.exposedPipeline()),
                new Share("exposed_dp", "exposed dp", time.exposedData()),
                new Share("exposed_offload", "exposed offload", time.exposedOffload()),
                new Share("bubble", "bubble", time.bubble()),
                new Share("optimizer", "optimizer", time.optimizer()),
                new Share("host", "host", time.host()));
    }

    /** Part by part, {@code other} less {@code base}, largest loss first. */
    static List<Share> difference(TimeShares other, TimeShares base) {
        List<Share> theirs = of(other);
        List<Share> ours = of(base);
        List<Share> difference = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            Share share = theirs.get(i);
            difference.add(new Share(
                    share.key(), share.label(), share.seconds() - ours.get(i).seconds()));
        }
        difference.sort((a, b) -> Double.compare(b.seconds(), a.seconds()));
        return difference;
    }
}
