package org.shardplan.read;

import org.shardplan.graph.TransformerSizes.Experts;

/** Reads what a config says of its experts, with checks of what must agree. */
final class RoutedExperts {
    /** What classes call the number of experts, the experts of a token, and the width of an expert. */
    record Keys(String count, String topk, String width) {}

    private final ConfigFields config;
    private final SizesDraft draft;
    private int count;
    private int topk;
    private long ffn;
    private long sharedFfn;
    private int firstDense;
    private int every = 1;
    private int groups = 1;
    private int groupTopk = 1;
    private boolean routerBias;

    RoutedExperts(ConfigFields config, SizesDraft draft) {
        this.config = config;
        this.draft = draft;
    }

    /**
     * The routed experts.
     *
     * @param countDefault the class's number of experts when the key is absent, and likewise {@code topkDefault}, {@code widthDefault}
     */
    RoutedExperts read(Keys keys, int countDefault, int topkDefault, long widthDefault) {
        count = (int) config.sizeOr(countDefault, SizesDraft.MOST_LAYERS, keys.count);
        topk = (int) config.sizeOr(topkDefault, SizesDraft.MOST_LAYERS, keys.topk);
        ffn = config.sizeOr(widthDefault, SizesDraft.MOST_WIDTH, keys.width);
        if (topk > count) {
            String key = config.has(keys.topk) ? keys.topk : keys.count;
            throw config.error(
                    key,
                    "doesn't fit: a token can't go to " + topk + " of " + count + " experts",
                    "Maybe " + keys.topk + " is " + Math.min(topkDefault, count));
        }
        return this;
    }

    RoutedExperts shared(long width) {
        sharedFfn = width;
        return this;
    }

    RoutedExperts every(int layers) {
        every = layers;
        return this;
    }

    RoutedExperts routerBias(boolean bias) {
        routerBias = bias;
        return this;
    }

    /** Layers at the start without experts. */
    RoutedExperts firstDense(String key, int classDefault) {
        firstDense = config.has(key) ? (int) config.number(key, classDefault, 0, draft.layers) : classDefault;
        if (firstDense >= draft.layers) {
            throw config.error(
                    config.has(key) ? key : "num_hidden_layers",
                    "leaves no layer of " + draft.layers + " with experts: the first " + firstDense + " are dense",
                    "Maybe " + key + " is " + (draft.layers - 1));
        }
        return this;
    }

    /** Groups that a token's experts are limited to. */
    RoutedExperts groups(String groupsKey, int groupsDefault, String topkKey, int topkDefault) {
        groups = (int) config.sizeOr(groupsDefault, SizesDraft.MOST_LAYERS, groupsKey);
        groupTopk = (int) config.sizeOr(Math.min(topkDefault, groups), SizesDraft.MOST_LAYERS, topkKey);
        if (count % groups != 0 || groupTopk > groups) {
            throw config.error(
                    config.has(groupsKey) ? groupsKey : topkKey,
                    "doesn't fit: %d experts in %d groups, of which a token meets %d"
                            .formatted(count, groups, groupTopk),
                    "Maybe " + groupsKey + " is " + Divisors.nearest(count, groups));
        }
        return this;
    }

    Experts experts() {
        return new Experts(count, topk, ffn, sharedFfn, firstDense, every, groups, groupTopk, routerBias, 0);
    }
}
