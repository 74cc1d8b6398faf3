package org.shardplan.read;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.units.UserError;

/** Slurm's lists of names: {@code srv[1101-1108,1110],gpu7}, {@code rack[1-2]node[01-16]}. */
final class HostList {
    private static final int MOST = 1_000_000;

    private HostList() {}

    /** All names, in order. @throws UserError, {@code where} before it */
    static List<String> expand(String text, String where) {
        List<String> names = new ArrayList<>();
        int start = 0;
        int depth = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                one(text.substring(start, i).strip(), names, text, where);
                start = i + 1;
            }
        }
        if (depth != 0) {
            throw new UserError(where + ": \"" + text + "\" has a bracket too many", "Maybe srv[1-8].");
        }
        return names;
    }

    private static void one(String word, List<String> names, String text, String where) {
        int open = word.indexOf('[');
        int close = word.indexOf(']');
        if (word.isEmpty() || (open < 0 ? close >= 0 : close < open)) {
            throw new UserError(where + ": \"" + text + "\" is no list of names", "Maybe srv[1-8],srv11.");
        }
        if (open < 0) {
            if (names.size() >= MOST) {
                throw tooMany(text, where);
            }
            names.add(word);
            return;
        }
        for (String range : word.substring(open + 1, close).split(",", -1)) {
            if (!range.strip().matches("[0-9]{1,9}(-[0-9]{1,9})?")) {
                throw new UserError(where + ": \"" + range + "\" is no range of numbers", "Maybe srv[1-8].");
            }
            String[] ends = range.strip().split("-", -1);
            int first = Integer.parseInt(ends[0]);
            int last = Integer.parseInt(ends[ends.length - 1]);
            if (last < first || last - first >= MOST) {
                throw last < first
                        ? new UserError(
                                where + ": the range " + range + " runs backwards", "Maybe the ends are swapped.")
                        : tooMany(text, where);
            }
            for (int number = first; number <= last; number++) {
                String digits = String.valueOf(number);
                String zeros = "0".repeat(Math.max(0, ends[0].length() - digits.length()));
                one(word.substring(0, open) + zeros + digits + word.substring(close + 1), names, text, where);
            }
        }
    }

    private static UserError tooMany(String text, String where) {
        return new UserError(
                where + ": \"" + text + "\" names more than " + MOST + " nodes", "Maybe a digit too many in a range.");
    }
}
