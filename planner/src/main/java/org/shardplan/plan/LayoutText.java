package org.shardplan.plan;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.units.UserError;

/**
 * The text form of a stage layout: Megatron-LM's {@code --pipeline-model-parallel-layout}.
 *
 * <p>{@code t} is a layer, {@code E} the embedding, {@code L} the head with its loss, {@code |} ends a virtual stage, {@code
 * x*n} repeats, parentheses group, commas and blanks are ornament. {@code Et*2|(t*2|)*34,t*3|(t*2|)*3,tL} has 40 virtual
 * stages. Beside Megatron's notation a number stands for as many layers ({@code 12|11|11|10}), and {@code E} and {@code L} may
 * be left out: the embedding is in the first stage and the head in the last one. What is printed is Megatron's notation
 * without commas, so it can be handed to Megatron-LM as it is.
 *
 * <p>Source: Megatron-LM, megatron/core/transformer/pipeline_parallel_layer_layout.py.
 */
public final class LayoutText {
    /** More virtual stages or layers than any model has: what a typing error would make. */
    private static final int LIMIT = 100_000;

    private static final String ADVICE =
            "Maybe layout=Et*12|(t*12|)*6t*12L, which is 8 stages of 12 layers: t a layer, E embedding, L head, | ends a stage.";

    private final String text;
    private int at;

    private LayoutText(String text) {
        this.text = text;
    }

    /** Whether all characters of the text can stand in a layout. */
    static boolean isLayout(String text) {
        return text.chars().allMatch(c -> "tELm|()*,\"' ".indexOf(c) >= 0 || (c >= '0' && c <= '9'));
    }

    /**
     * Layers of each virtual stage in order of execution.
     *
     * @throws UserError if it can't be read
     */
    public static List<Integer> parse(String text) {
        String body = text.replaceAll("[\\s,\"']+", " ").strip();
        if (body.startsWith("E")) {
            body = body.substring(1);
        }
        if (body.endsWith("L")) {
            body = body.substring(0, body.length() - 1);
        }
        LayoutText reader = new LayoutText(body);
        if (body.contains("E") || body.contains("L")) {
            throw reader.error("E must stand first and L last, once each");
        }
        if (body.isBlank()) {
            throw reader.error("it has no layers");
        }
        List<Integer> stages = reader.sequence(0);
        if (reader.at < body.length()) {
            throw reader.error("a ) has no (");
        }
        return stages;
    }

    /** Prints what {@link #parse} reads back. */
    public static String print(List<Integer> layout) {
        StringBuilder out = new StringBuilder("E");
        int last = layout.size() - 1;
        for (int stage = 0; stage < last; ) {
            int end = stage + 1;
            while (stage > 0 && end < last && layout.get(end).equals(layout.get(stage))) {
                end++;
            }
            String one = layers(layout.get(stage)) + "|";
            out.append(end - stage > 1 ? "(" + one + ")*" + (end - stage) : one);
            stage = end;
        }
        return out.append(layers(layout.get(last))).append('L').toString();
    }

    private static String layers(int count) {
        return switch (count) {
            case 0 -> "";
            case 1 -> "t";
            default -> "t*" + count;
        };
    }

    /** Reads up to the end or a closing parenthesis: layers between bars, so one more number than there are bars. */
    private List<Integer> sequence(int depth) {
        List<Integer> stages = new ArrayList<>(List.of(0));
        while (at < text.length() && text.charAt(at) != ')') {
            char c = text.charAt(at);
            if (c == ' ') {
                at++;
                continue;
            }
            List<Integer> item = item(c, depth);
            int repeats = 1;
            if (at < text.length() && text.charAt(at) == '*') {
                at++;
                repeats = number();
            }
            if ((long) (item.size() - 1) * repeats + stages.size() > LIMIT || repeats > LIMIT) {
                throw error("it has more than " + LIMIT + " stages");
            }
            for (int i = 0; i < repeats; i++) {
                append(stages, item);
            }
        }
        return stages;
    }

    private List<Integer> item(char c, int depth) {
        if (c >= '0' && c <= '9') {
            return List.of(number());
        }
        at++;
        switch (c) {
            case 't':
                return List.of(1);
            case '|':
                return List.of(0, 0);
            case '(':
                if (depth > 8) {
                    throw error("its parentheses nest too deep");
                }
                List<Integer> inner = sequence(depth + 1);
                if (at >= text.length()) {
                    throw error("a ( is not closed");
                }
                at++;
                return inner;
            default:
                throw error("'" + c + "' has no meaning");
        }
    }

    private void append(List<Integer> stages, List<Integer> item) {
        int joined = stages.removeLast() + item.getFirst();
        if (joined > LIMIT) {
            throw error("a stage has more than " + LIMIT + " layers");
        }
        stages.add(joined);
        stages.addAll(item.subList(1, item.size()));
    }

    private int number() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw error("a * has no number after it");
        }
        if (at - start > 6) {
            throw error(text.substring(start, at) + " is too large");
        }
        return Integer.parseInt(text.substring(start, at));
    }

    private UserError error(String what) {
        return new UserError("layout=" + text.strip() + ": " + what, ADVICE);
    }
}
