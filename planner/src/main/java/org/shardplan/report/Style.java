package org.shardplan.report;

/**
 * How text is drawn.
 *
 * @param width columns
 * @param color whether ANSI colours are used
 * @param unicode whether block elements and ± can be shown; else ASCII stands in for them
 */
public record Style(int width, boolean color, boolean unicode) {
    /** ASCII, 100 columns. */
    public static final Style PLAIN = new Style(100, false, false);

    /** ANSI foreground colours, one meaning each in all reports. */
    enum Ink {
        TITLE("1"),
        FORWARD("34"),
        BACKWARD("32"),
        WEIGHT("33"),
        OTHER("35"),
        GOOD("32"),
        BAD("31"),
        FAINT("2");

        final String code;

        Ink(String code) {
            this.code = code;
        }
    }

    String paint(Ink ink, String text) {
        return color && !text.isEmpty() ? "\033[" + ink.code + "m" + text + "\033[0m" : text;
    }

    String bar() {
        return unicode ? "█" : "#";
    }

    char idle() {
        return unicode ? '·' : '.';
    }

    char run() {
        return unicode ? '─' : '-';
    }

    String ellipsis() {
        return unicode ? "…" : "~";
    }

    String times() {
        return unicode ? "×" : "x";
    }

    String plusMinus() {
        return unicode ? "±" : "+-";
    }
}
