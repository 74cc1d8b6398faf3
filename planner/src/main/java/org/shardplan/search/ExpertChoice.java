package org.shardplan.search;

import org.shardplan.plan.ExpertMesh;

/**
 * How experts are shared out, as one choice of the outer tuple.
 *
 * @param ep ranks among which they are shared out
 * @param etp ranks that split each
 * @param beside of the {@code ep} ranks those that lie beside tensor ranks
 * @param mesh both as a view of data and tensor ranks
 */
record ExpertChoice(int ep, int etp, int beside, ExpertMesh mesh) {
    static ExpertChoice of(int tp, int cp, int ep, int etp) {
        ExpertMesh mesh = ExpertMesh.of(tp, cp, ep, etp);
        return new ExpertChoice(ep, etp, mesh.onTensor() ? ep / tp : ep, mesh);
    }

    /** Whether the ranks beside tensor ranks are whole groups of so many context ranks, or a part of one. */
    boolean fits(int cp) {
        return cp % beside == 0 || beside % cp == 0;
    }
}
