package org.shardplan.plan;

/** Order of mesh dimensions, outermost first: which neighbours share the fast links. */
public enum MeshOrder {
    /** Megatron's default: tensor ranks are neighbours, then data ranks, pipeline stages far apart. */
    PP_DP_TP("pp-dp-tp"),
    /** DeepSpeed's default: pipeline stages nearer than data ranks. */
    DP_PP_TP("dp-pp-tp");

    private final String text;

    MeshOrder(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
