package org.shardplan.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The experts' view of a stage's ranks. Dense operators see data, context and tensor ranks; of the data ranks those of the inner factor
 * {@code ep} belong to the experts' group, of the context ranks those of the inner factor {@code epc}, and the tensor ranks too unless each
 * expert is split over them. Neighbours come first: data ranks belong to a group only where all context ranks do. Ranks of one group hold
 * different experts and exchange tokens; the groups that are left ({@code edp}, {@code ecp}) hold the same ones.
 *
 * @param dataRanks of a group that lie on different data ranks: the mesh's factor {@code ep}
 * @param contextRanks of a group that lie on different context ranks: the mesh's factor {@code epc}
 * @param onTensor whether tensor ranks hold different experts (etp 1) or parts of the same ones (etp = tp)
 */
public record ExpertMesh(int dataRanks, int contextRanks, boolean onTensor) {
    /** All experts on each data rank, split over its tensor ranks as any MLP. */
    public static final ExpertMesh NONE = new ExpertMesh(1, 1, false);

    /** Of a legal plan: ep ranks, of which tensor ranks are a part where etp is 1. */
    public static ExpertMesh of(int tp, int ep, int etp) {
        return of(tp, 1, ep, etp);
    }

    /** Of a legal plan: ep ranks, of which tensor ranks are a part where etp is 1, then cp context ranks, then data ranks. */
    public static ExpertMesh of(int tp, int cp, int ep, int etp) {
        boolean onTensor = ep > 1 && tp > 1 && etp == 1;
        int beside = onTensor ? Math.max(1, ep / tp) : ep;
        int context = Math.min(beside, cp);
        return new ExpertMesh(Math.max(1, beside / context), context, onTensor);
    }

    /** Ranks beside tensor ranks among which the experts of a layer are shared out. */
    public int ranks() {
        return dataRanks * contextRanks;
    }

    /** Mesh dimensions that shard the samples of dense operators. */
    List<String> batchDims() {
        return dataRanks > 1 ? List.of("edp", "ep") : List.of("dp");
    }

    /** Mesh dimensions that shard the samples of an expert's products. */
    List<String> expertBatchDims() {
        return List.of(dataRanks > 1 ? "edp" : "dp");
    }

    /** Mesh dimensions that shard the sequence of an expert's products. */
    List<String> expertSequenceDims() {
        return List.of(contextRanks > 1 ? "ecp" : "cp");
    }

    /** Mesh dimensions that shard the experts, outermost first. */
    List<String> expertDims() {
        List<String> dims = new ArrayList<>();
        if (dataRanks > 1) {
            dims.add("ep");
        }
        if (contextRanks > 1) {
            dims.add("epc");
        }
        if (onTensor) {
            dims.add("tp");
        }
        return dims;
    }
}
