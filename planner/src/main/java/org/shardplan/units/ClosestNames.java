package org.shardplan.units;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The names that a mistyped word may have meant, by edit distance. */
public final class ClosestNames {
    private static final int MOST = 3;

    private ClosestNames() {}

    /**
     * At most three names, the closest first; empty when none is close. A name is close when it takes few edits, or when
     * one of the two begins with the other.
     */
    public static List<String> of(String word, Collection<String> names) {
        String wanted = word.toLowerCase(Locale.ROOT);
        int most = Math.max(2, wanted.length() / 3);
        return names.stream()
                .filter(name -> edits(wanted, name) <= most || begins(wanted, name))
                .sorted(Comparator.comparingInt((String name) -> edits(wanted, name))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    private static boolean begins(String wanted, String name) {
        String known = name.toLowerCase(Locale.ROOT);
        return wanted.length() >= 3 && known.startsWith(wanted) || known.length() >= 3 && wanted.startsWith(known);
    }

    /** Insertions, deletions and replacements between the words. */
    private static int edits(String wanted, String name) {
        String known = name.toLowerCase(Locale.ROOT);
        int[] above = new int[known.length() + 1];
        for (int j = 0; j <= known.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= wanted.length(); i++) {
            int[] row = new int[known.length() + 1];
            row[0] = i;
            for (int j = 1; j <= known.length(); j++) {
                int replaced = above[j - 1] + (wanted.charAt(i - 1) == known.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[known.length()];
    }
}
