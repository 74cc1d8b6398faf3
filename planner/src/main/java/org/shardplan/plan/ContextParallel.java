package org.shardplan.plan;

import java.util.List;
import java.util.Optional;

/**
 * How cp ranks share out each sequence. All operators work on a part of its tokens; attention alone must see keys and values of other
 * ranks.
 *
 * @param ranks among which a sequence is split, 1 = none
 * @param type how attention gets its keys; {@link Type#RING} where {@code ranks} is 1
 */
public record ContextParallel(int ranks, Type type) {
    public static final ContextParallel NONE = new ContextParallel(1, Type.RING);

    /** Ways in which attention gets at the keys and values of other ranks. */
    public enum Type {
        /** Parts of keys and values go round from rank to rank beside attention on the part that is there (Liu et al. 2023). */
        RING("ring", "p2p"),
        /** Keys and values are gathered before attention (Llama 3, section 3.3.2). */
        ALL_GATHER("all-gather", "all_gather"),
        /** Ranks exchange sequence for heads before attention, and back after it (Jacobs et al. 2023, DeepSpeed-Ulysses). */
        ULYSSES("ulysses", "a2a");

        private final String text;
        private final String alias;

        Type(String text, String alias) {
            this.text = text;
            this.alias = alias;
        }

        public String text() {
            return text;
        }

        /** By our word, or by that of Megatron's {@code --cp-comm-type}. */
        public static Optional<Type> of(String word) {
            for (Type type : values()) {
                if (type.text.equals(word) || type.alias.equals(word)) {
                    return Optional.of(type);
                }
            }
            return Optional.empty();
        }
    }

    public ContextParallel {
        type = ranks == 1 ? Type.RING : type;
    }

    /** Mesh dimensions that shard the sequence, outermost first: two factors where experts are shared out over a part of the ranks. */
    public static List<String> dims(ExpertMesh experts) {
        return experts.contextRanks() > 1 ? List.of("ecp", "epc") : List.of("cp");
    }
}
