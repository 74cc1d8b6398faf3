package org.shardplan.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The experts' view of a stage's ranks. Dense operators see data and tensor ranks; of the data ranks those of the inner factor
 * {@code ep} belong to the experts' group, and the tensor ranks too unless each expert is split over them. Ranks of one group hold
 * different experts and exchange tokens; the {@code edp} groups that are left hold the same ones.
 *
 * @param dataRanks of a group that lie on different data ranks: the mesh's factor {@code ep}
 * @param onTensor whether tensor ranks hold different experts (etp 1) or parts of the same ones (etp = tp)
 */
public record ExpertMesh(int dataRanks, boolean onTensor) {
    /** All experts on each data rank, split over its tensor ranks as any MLP. */
    public static final ExpertMesh NONE = new ExpertMesh(1, false);

    /** Of a legal plan: ep ranks, of which tensor ranks are a part where etp is 1. */
    public static ExpertMesh of(int tp, int ep, int etp) {
        boolean onTensor = ep > 1 && tp > 1 && etp == 1;
        return new ExpertMesh(onTensor ? Math.max(1, ep / tp) : ep, onTensor);
    }

    /** Mesh dimensions that shard the samples of dense operators. */
    List<String> batchDims() {
        return dataRanks > 1 ? List.of("edp", "ep") : List.of("dp");
    }

    /** Mesh dimensions that shard the samples of an expert's products. */
    List<String> expertBatchDims() {
        return List.of(dataRanks > 1 ? "edp" : "dp");
    }

    /** Mesh dimensions that shard the experts, outermost first. */
    List<String> expertDims() {
        List<String> dims = new ArrayList<>();
        if (dataRanks > 1) {
            dims.add("ep");
        }
        if (onTensor) {
            dims.add("tp");
        }
        return dims;
    }
}
