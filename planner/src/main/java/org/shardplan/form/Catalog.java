package org.shardplan.form;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.shardplan.units.ClosestNames;

/** The resource files of one kind: {@code <kind>/<name>.yaml}, and {@code <kind>/names.txt} with one name a line, in order. */
final class Catalog {
    private final String kind;
    private final List<String> names;

    Catalog(String kind) {
        this.kind = kind;
        this.names = find("names.txt")
                .orElseThrow()
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
    }

    List<String> names() {
        return names;
    }

    /** What a mistyped name may have meant, the likeliest first: the names that begin with it, else the closest. */
    List<String> meant(String name) {
        List<String> longer =
                names.stream().filter(known -> known.startsWith(name)).toList();
        return longer.isEmpty() ? ClosestNames.of(name, names) : longer;
    }

    /** How messages name the file of an entry. */
    String file(String name) {
        return "catalog " + kind + "/" + name + ".yaml";
    }

    /** The text of an entry's file; the name must be one of {@link #names}. */
    String text(String name) {
        return find(name + ".yaml").orElseThrow();
    }

    private Optional<String> find(String file) {
        try (InputStream stream = Catalog.class.getResourceAsStream(kind + "/" + file)) {
            return stream == null
                    ? Optional.empty()
                    : Optional.of(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
