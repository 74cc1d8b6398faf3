package org.shardplan.search;

import org.shardplan.plan.ExpertMesh;

/**
 * How experts are shared out, as one choice of the outer tuple.
 *
 * @param ep ranks among which they are shared out
 * @param etp ranks that split each
 * @param mesh both as a view of data and tensor ranks
 */
record ExpertChoice(int ep, int etp, ExpertMesh mesh) {
    static ExpertChoice of(int tp, int ep, int etp) {
        return new ExpertChoice(ep, etp, ExpertMesh.of(tp, ep, etp));
    }
}
