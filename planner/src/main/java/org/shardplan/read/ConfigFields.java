package org.shardplan.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/** The fields of one JSON object, with checks that name file, line, field and value. A null counts as absent. */
final class ConfigFields {
    /** What a JSON null is read as. */
    static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "null";
        }
    };

    /** A value and the line that it stands on. */
    record Field(Object value, int line) {}

    private final String file;
    private final String path;
    private final Map<String, Field> fields;
    private final List<String> notes = new ArrayList<>();

    /** @param path of this object inside the file, empty or ending with a dot */
    ConfigFields(String file, String path, Map<String, Field> fields) {
        this.file = file;
        this.path = path;
        this.fields = fields;
    }

    String file() {
        return file;
    }

    List<String> notes() {
        return List.copyOf(notes);
    }

    void note(String note) {
        notes.add(note);
    }

    /** Whether the field stands there and is not null. */
    boolean has(String name) {
        return find(name) != null;
    }

    /** Whether the field stands there as null, which for some classes differs from absent. */
    boolean isNull(String name) {
        Field field = fields.get(name);
        return field != null && field.value() == NULL;
    }

    /** Whether it is a text where others have a number ({@code "auto"}). */
    boolean isText(String name) {
        Field field = find(name);
        return field != null && field.value() instanceof String;
    }

    private @Nullable Field find(String name) {
        Field field = fields.get(name);
        return field == null || field.value() == NULL ? null : field;
    }

    /** The first of these names that has a value, else the first. */
    String key(String... names) {
        for (String name : names) {
            if (has(name)) {
                return name;
            }
        }
        return names[0];
    }

    /** A whole number from 1 to {@code most} under one of these names, which must agree where several are there. */
    long size(long most, String... names) {
        String key = key(names);
        if (!has(key)) {
            throw missing(key);
        }
        long value = checked(key, most);
        for (String name : names) {
            if (has(name) && checked(name, most) != value) {
                throw error(
                        name,
                        "differs from " + key + " = " + value + ", its other name",
                        "Maybe one of the two is left over");
            }
        }
        return value;
    }

    /** As {@link #size}, with a value for when none is there. */
    long sizeOr(long fallback, long most, String... names) {
        return has(key(names)) ? size(most, names) : fallback;
    }

    private long checked(String name, long most) {
        Object value = value(name);
        if (value instanceof Long number && number >= 1 && number <= most) {
            return number;
        }
        if (value instanceof String) {
            throw error(name, "is a text, a whole number is needed", "Maybe drop the quotes");
        }
        if (!(value instanceof Number number)) {
            throw error(name, "is not a number, a whole number is needed", "Maybe it belongs to another field");
        }
        double size = number.doubleValue();
        if (size >= 1 && size <= most) {
            throw error(name, "is not a whole number", "Maybe " + Math.round(size));
        }
        throw error(name, "is out of range: 1 to %,d".formatted(most), "Maybe a digit is wrong");
    }

    boolean flag(String name, boolean fallback) {
        if (!has(name)) {
            return fallback;
        }
        if (value(name) instanceof Boolean flag) {
            return flag;
        }
        throw error(name, "is not true or false", "Maybe drop the quotes");
    }

    /** A number from {@code least} to {@code most}. */
    double number(String name, double fallback, double least, double most) {
        if (!has(name)) {
            return fallback;
        }
        if (value(name) instanceof Number number) {
            double value = number.doubleValue();
            if (value >= least && value <= most) {
                return value;
            }
        }
        throw error(name, "is not a number from %s to %s".formatted(least, most), "Maybe a digit is wrong");
    }

    Optional<String> text(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        if (value(name) instanceof String text) {
            return Optional.of(text);
        }
        throw error(name, "is not a text", "Maybe quotes are missing");
    }

    /** The texts of a list; empty when it is absent. */
    List<String> texts(String name) {
        if (!has(name)) {
            return List.of();
        }
        if (value(name) instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
            return list.stream().map(String.class::cast).toList();
        }
        throw error(name, "is not a list of texts", "Maybe quotes are missing");
    }

    /** The numbers of a list; empty when it is absent. */
    List<Double> numbers(String name) {
        if (!has(name)) {
            return List.of();
        }
        if (value(name) instanceof List<?> list && list.stream().allMatch(Number.class::isInstance)) {
            return list.stream().map(item -> ((Number) item).doubleValue()).toList();
        }
        throw error(name, "is not a list of numbers", "Maybe it belongs to another field");
    }

    Optional<ConfigFields> object(String name) {
        return has(name) && value(name) instanceof ConfigFields inner ? Optional.of(inner) : Optional.empty();
    }

    /** The objects of a list; empty when it is absent. */
    List<ConfigFields> objects(String name) {
        if (!has(name)) {
            return List.of();
        }
        if (value(name) instanceof List<?> list && list.stream().allMatch(ConfigFields.class::isInstance)) {
            return list.stream().map(ConfigFields.class::cast).toList();
        }
        throw error(name, "is not a list of objects", "Maybe it belongs to another field");
    }

    boolean isList(String name) {
        Field field = find(name);
        return field != null && field.value() instanceof List<?>;
    }

    private Object value(String name) {
        Field field = find(name);
        if (field == null) {
            throw new IllegalStateException(name + " is absent");
        }
        return field.value();
    }

    UserError missing(String name) {
        List<String> others =
                fields.keySet().stream().filter(other -> !other.equals(name)).toList();
        List<String> close = ClosestNames.of(name, others);
        String maybe = close.isEmpty()
                ? "Maybe the file was shortened: compare it with the published config.json"
                : "Maybe \"" + close.getFirst() + "\" should be \"" + name + "\"";
        String what = fields.containsKey(name) ? " is null" : " is missing";
        return new UserError(file + ": field " + path + name + what, maybe);
    }

    /** An error about one field: the message begins with file, line, field and value. */
    UserError error(String name, String what, String maybe) {
        Field field = fields.get(name);
        if (field == null) {
            return new UserError("%s: %s%s %s".formatted(file, path, name, what), maybe);
        }
        return new UserError(
                "%s, line %d: %s%s = %s %s".formatted(file, field.line(), path, name, shown(field.value()), what),
                maybe);
    }

    private static String shown(Object value) {
        return switch (value) {
            case String text when text.length() > 60 -> "\"" + text.substring(0, 60) + "…\"";
            case String text -> "\"" + text + "\"";
            case ConfigFields _ -> "{…}";
            case List<?> _ -> "[…]";
            default -> value.toString();
        };
    }
}
