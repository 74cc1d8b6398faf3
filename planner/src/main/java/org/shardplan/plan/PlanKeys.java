package org.shardplan.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/** Reads the keys of a plan's text, each at most once; what is omitted stays open. */
final class PlanKeys {
    private static final List<String> KEYS = List.of(
            "tp",
            "pp",
            "vpp",
            "dp",
            "cp",
            "cp-type",
            "ep",
            "etp",
            "mb",
            "sp",
            "zero",
            "replicas",
            "recompute",
            "schedule",
            "order",
            "layout");

    /** More pipeline ranks than any model has layers: what a typing error would make. */
    private static final int MOST_RANKS = 100_000;

    private final String text;
    private final Map<String, String> values = new TreeMap<>();

    private final Function<String, ScheduleKind> tables;

    /** @param tables reads a table of slots by its file's name */
    PlanKeys(String text, Function<String, ScheduleKind> tables) {
        this.text = text;
        this.tables = tables;
    }

    FixedChoices read() {
        for (String token : tokens()) {
            int equals = token.indexOf('=');
            String key = equals < 0 ? token : token.substring(0, equals).strip();
            String value = equals < 0 ? "" : token.substring(equals + 1).strip();
            if (!KEYS.contains(key)) {
                throw unknown(key);
            }
            if (value.isEmpty() && !(key.equals("sp") && equals < 0)) {
                throw error(key + " has no value", "Maybe " + example(key) + ".");
            }
            if (values.put(key, value.isEmpty() ? "on" : value) != null) {
                throw error(key + " stands twice", "Maybe one of them should be another key.");
            }
        }
        Optional<String> recompute = find("recompute");
        Optional<List<Integer>> byStage = recompute.flatMap(this::byStage);
        return new FixedChoices(
                whole("tp", 1),
                whole("pp", 1),
                whole("vpp", 1),
                whole("dp", 1),
                whole("mb", 1),
                find("sp").map(this::flag),
                zero(),
                recompute.map(this::recompute),
                find("schedule").map(this::schedule),
                find("order").map(value -> PlanText.order(value).orElseThrow(() -> choice("order", value))),
                find("layout").map(LayoutText::parse),
                byStage,
                whole("ep", 1),
                whole("etp", 1),
                whole("cp", 1),
                find("cp-type")
                        .map(value -> ContextParallel.Type.of(value).orElseThrow(() -> choice("cp-type", value))),
                whole("replicas", 1));
    }

    /** Splits at commas; those of a layout belong to it: what follows them is no key. */
    private List<String> tokens() {
        List<String> tokens = new ArrayList<>();
        if (text.isBlank()) {
            return tokens;
        }
        for (String piece : text.split(",", -1)) {
            String token = piece.strip();
            boolean more = !tokens.isEmpty() && tokens.getLast().startsWith("layout") && LayoutText.isLayout(token);
            if (more) {
                tokens.add(tokens.removeLast() + "," + token);
            } else if (token.isEmpty()) {
                throw error("nothing stands between two commas or at an end", "Maybe a comma too many.");
            } else {
                tokens.add(token);
            }
        }
        return tokens;
    }

    private Optional<String> find(String key) {
        @Nullable String value = values.get(key);
        return Optional.ofNullable(value);
    }

    private OptionalInt whole(String key, int least) {
        Optional<String> value = find(key);
        return value.isEmpty() ? OptionalInt.empty() : OptionalInt.of(number(key + "=", value.get(), least));
    }

    private OptionalInt zero() {
        OptionalInt zero = whole("zero", 0);
        if (zero.isPresent() && zero.getAsInt() > 3) {
            throw error("zero=" + zero.getAsInt() + " is not a ZeRO stage", "Maybe zero=3, the highest; 0 is off.");
        }
        return zero;
    }

    private int number(String prefix, String value, int least) {
        boolean digits = !value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9');
        if (!digits) {
            throw error(
                    prefix + value + " is not a whole number from " + least + " up", "Maybe " + example(prefix) + ".");
        }
        String significant = value.replaceFirst("^0+(?=.)", "");
        if (significant.length() > 6) {
            throw error(prefix + value + " is larger than any cluster", "Maybe a digit too many.");
        }
        int number = Integer.parseInt(significant);
        if (number < least) {
            throw error(prefix + value + " is below " + least, "Maybe " + prefix + "1, which is neutral.");
        }
        return number;
    }

    private boolean flag(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "on", "yes", "true", "1" -> true;
            case "off", "no", "false", "0" -> false;
            default -> throw error("sp=" + value + " is neither on nor off", "Maybe sp alone, or sp=off.");
        };
    }

    /** A generator's name, or a file: what has a dot or a slash. */
    private ScheduleKind schedule(String value) {
        Optional<ScheduleKind> known = PlanText.schedule(value);
        if (known.isEmpty() && !value.contains(".") && !value.contains("/")) {
            throw choice("schedule", value);
        }
        return known.orElseGet(() -> tables.apply(value));
    }

    private Recompute recompute(String value) {
        boolean selective = value.equals("selective") || value.startsWith("selective+");
        Recompute.Mode mode = selective ? Recompute.Mode.SELECTIVE : Recompute.Mode.NONE;
        String rest = value.startsWith("selective+") ? value.substring("selective+".length()) : value;
        if (rest.equals("full")) {
            return Recompute.FULL;
        }
        if (rest.startsWith("full:")) {
            String count = rest.substring("full:".length());
            return new Recompute(mode, isByRank(count) ? 0 : number("recompute=full:", count, 0));
        }
        if (!value.equals("none") && !value.equals("selective")) {
            throw error(
                    "recompute=" + value + " has no meaning",
                    "Maybe one of none, selective, full, full:4, selective+full:4, full:3/2/2/1 (by pipeline rank).");
        }
        return new Recompute(mode, 0);
    }

    private static boolean isByRank(String counts) {
        return counts.contains("/") || counts.contains("*");
    }

    /** The counts of {@code full:3/2/2/1}, or {@code full:3/2*2/1}. */
    private Optional<List<Integer>> byStage(String value) {
        int colon = value.indexOf(':');
        if (colon < 0 || !isByRank(value)) {
            return Optional.empty();
        }
        List<Integer> counts = new ArrayList<>();
        for (String count : value.substring(colon + 1).split("/", -1)) {
            int star = count.indexOf('*');
            int layers = number("recompute=full:", star < 0 ? count : count.substring(0, star), 0);
            int ranks = star < 0 ? 1 : number("recompute=full:" + layers + "*", count.substring(star + 1), 1);
            if (counts.size() + ranks > MOST_RANKS) {
                throw error("recompute names more than " + MOST_RANKS + " ranks", "Maybe a digit too many.");
            }
            counts.addAll(Collections.nCopies(ranks, layers));
        }
        return Optional.of(counts);
    }

    private UserError choice(String key, String value) {
        String kinds = String.join(
                ", ", ScheduleKind.values().stream().map(ScheduleKind::text).toList());
        String all = switch (key) {
            case "schedule" -> kinds + ", or the file of a table";
            case "cp-type" -> "ring, all-gather, ulysses";
            default -> "pp-dp-tp, dp-pp-tp";
        };
        return error(key + "=" + value + " has no meaning", "Maybe one of " + all + ".");
    }

    private UserError unknown(String key) {
        String all = "the keys are " + String.join(", ", KEYS);
        List<String> close = ClosestNames.of(key, KEYS);
        String maybe = close.isEmpty() ? "Maybe a misprint; " : "Maybe " + close.getFirst() + "; ";
        return error("unknown key '" + key + "'", maybe + all + ".");
    }

    private static String example(String key) {
        return switch (key.endsWith("=") ? key.substring(0, key.length() - 1) : key) {
            case "zero" -> "zero=1";
            case "cp-type" -> "cp-type=ring";
            case "replicas" -> "replicas=2";
            case "sp" -> "sp alone";
            case "recompute" -> "recompute=selective";
            case "recompute=full:" -> "recompute=full:4";
            case "schedule" -> "schedule=1f1b";
            case "order" -> "order=pp-dp-tp";
            case "layout" -> "layout=Et*12|(t*12|)*6t*12L";
            default -> key.replace("=", "") + "=8, or leave it out";
        };
    }

    private UserError error(String what, String maybe) {
        return new UserError("plan \"" + text + "\": " + what, maybe);
    }
}
