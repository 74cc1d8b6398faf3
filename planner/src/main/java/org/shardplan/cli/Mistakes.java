package org.shardplan.cli;

import java.util.List;
import org.shardplan.units.UserError;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What went wrong, as one message on stderr and an exit status. */
final class Mistakes {
    static final int USER = 2;
    static final int BUG = 70;

    private Mistakes() {}

    /** A mistake on the command line itself. */
    static int parameter(ParameterException e, Session session) {
        String verb = e.getCommandLine().getCommandSpec().qualifiedName();
        String maybe = "Maybe see " + verb + " --help";
        String message = String.valueOf(e.getMessage());
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            String first = unmatched.getUnmatched().getFirst();
            boolean top = e.getCommandLine().getParent() == null;
            message = "unknown " + (first.startsWith("-") ? "option " : top ? "verb " : "argument ") + first
                    + (top ? "" : " of " + verb);
            List<String> suggestions = unmatched.getSuggestions();
            if (!suggestions.isEmpty()) {
                maybe = "Maybe " + suggestions.getFirst();
            }
        }
        message = message.replaceFirst("is not an? (int|long)$", "is not a whole number in its range");
        return say(message, maybe, session);
    }

    /** Anything that a command threw. */
    static int thrown(Throwable thrown, Session session) {
        if (thrown instanceof UserError error) {
            if (session.verbose) {
                error.printStackTrace(session.err);
            }
            return say(String.valueOf(error.getMessage()), error.maybe(), session);
        }
        session.err.println("shardplan: a bug of ours: " + oneLine(thrown.toString())
                + ". Please report it with the command line"
                + (session.verbose ? "." : "; --verbose prints where."));
        if (session.verbose) {
            thrown.printStackTrace(session.err);
        }
        return BUG;
    }

    private static int say(String message, String maybe, Session session) {
        session.err.println("shardplan: " + oneLine(message));
        if (!maybe.isEmpty()) {
            session.err.println(maybe);
        }
        return USER;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", "; ");
    }
}
