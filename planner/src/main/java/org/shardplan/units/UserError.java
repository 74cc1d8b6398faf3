package org.shardplan.units;

/**
 * A mistake in what the user gave us: a file, a flag, a number. The message says what is wrong, where (file, field) and
 * which value; {@link #maybe()} is one line that starts with "Maybe" and says what to try. The command line prints both
 * and exits with status 2; nobody else catches it.
 */
public final class UserError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String maybe;

    /**
     * @param message what is wrong, where, and which value
     * @param maybe one line starting with "Maybe"
     */
    public UserError(String message, String maybe) {
        super(message);
        this.maybe = maybe;
    }

    /** One line that starts with "Maybe". */
    public String maybe() {
        return maybe;
    }
}
