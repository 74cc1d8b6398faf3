package org.shardplan.program;

import java.util.Optional;
import org.shardplan.program.Task.CollectiveKind;

/** Which collective turns one spread into another on one mesh dimension. */
public final class Resharding {
    private Resharding() {}

    /** Empty where no data moves: equal spreads, or a slice of what a rank holds. */
    public static Optional<CollectiveKind> between(Spread from, Spread to) {
        if (from.equals(to)) {
            return Optional.empty();
        }
        return switch (from) {
            case Spread.Partial _ ->
                switch (to) {
                    case Spread.Replicated _ -> Optional.of(CollectiveKind.ALL_REDUCE);
                    case Spread.Sharded _ -> Optional.of(CollectiveKind.REDUCE_SCATTER);
                    case Spread.Partial _ -> Optional.empty();
                };
            case Spread.Sharded _ ->
                switch (to) {
                    case Spread.Sharded _ -> Optional.of(CollectiveKind.ALL_TO_ALL);
                    case Spread.Replicated _, Spread.Partial _ -> Optional.of(CollectiveKind.ALL_GATHER);
                };
            case Spread.Replicated _ -> Optional.empty();
        };
    }
}
