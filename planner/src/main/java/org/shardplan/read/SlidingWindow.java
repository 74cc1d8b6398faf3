package org.shardplan.read;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** The sliding window of a config, and which layers use it. */
final class SlidingWindow {
    private static final String FULL = "full_attention";
    private static final String SLIDING = "sliding_attention";

    private SlidingWindow() {}

    /**
     * Fills window and windowEvery.
     *
     * @param classDefault tokens when the key is absent, 0 = none
     * @param everyDefault windowEvery when the file lists no layer types
     */
    static void fill(ConfigFields config, SizesDraft draft, long classDefault, int everyDefault) {
        boolean none = config.isNull("sliding_window");
        draft.window = config.sizeOr(none ? 0 : classDefault, SizesDraft.MOST_TOKENS, "sliding_window");
        draft.windowEvery = everyDefault;
        List<String> types = config.texts("layer_types");
        if (!types.isEmpty()) {
            fromTypes(config, draft, types);
        }
    }

    private static void fromTypes(ConfigFields config, SizesDraft draft, List<String> types) {
        if (types.size() != draft.layers) {
            throw config.error(
                    "layer_types",
                    "has %d entries for %d layers".formatted(types.size(), draft.layers),
                    "Maybe the number of layers was changed");
        }
        for (String type : types) {
            if (!type.equals(FULL) && !type.equals(SLIDING)) {
                throw config.error(
                        "layer_types",
                        "has \"" + type + "\": layers other than attention are not supported in this version",
                        "Maybe plan a dense decoder of the same size instead");
            }
        }
        int full = (int) types.stream().filter(FULL::equals).count();
        if (full == types.size()) {
            draft.window = 0;
            draft.windowEvery = 1;
        } else if (full == 0) {
            draft.windowEvery = 1;
        } else {
            OptionalInt every = IntStream.rangeClosed(2, types.size())
                    .filter(count -> repeats(types, count))
                    .findFirst();
            draft.windowEvery = every.orElse(1);
            if (every.isEmpty()) {
                draft.mixer = layer -> draft.attend(types.get(layer).equals(FULL) ? 0 : draft.window);
            }
        }
    }

    private static boolean repeats(List<String> types, int every) {
        return IntStream.range(0, types.size())
                .allMatch(i -> types.get(i).equals((i + 1) % every == 0 ? FULL : SLIDING));
    }
}
