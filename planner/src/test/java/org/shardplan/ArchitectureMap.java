package org.shardplan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The map of planner's rooms, the only place where it is declared. A room is a package below {@code org.shardplan}. Rooms
 * stand on floors; a room may import the rooms of all floors below its own, and never a room of its own floor.
 * {@link ArchitectureTest} holds the code to it, and the picture in {@code docs/architecture.md} is printed from it.
 */
final class ArchitectureMap {
    static final String ROOT = "org.shardplan";

    /** A floor: rooms that do not see each other; {@code pure} when its rooms import nothing but Java itself. */
    record Floor(boolean pure, String holds, List<String> rooms) {}

    /** From the ground up. */
    static final List<Floor> FLOORS = List.of(
            pure("quantities at the border: parse, print", "units"),
            pure("operator graph, axes, shapes, backward", "graph"),
            pure("devices, links, mesh", "cluster"),
            pure("workload, framework behaviour", "workload"),
            pure("plan, placement, stage, schedule, verdict", "plan"),
            pure("lowering: layouts, collectives, tasks", "program"),
            pure("kernels, collectives, memory, bounds", "cost"),
            pure("sweep, events, fifo: the timeline", "sim"),
            pure("spaces, methods, evaluators", "search"),
            open("files in and out, each way to the outside", "form", "read", "target", "solve", "report"),
            open("one file a use case: the public API", "job"),
            open("two fronts of job", "cli", "serve"));

    private ArchitectureMap() {}

    private static Floor pure(String holds, String... rooms) {
        return new Floor(true, holds, List.of(rooms));
    }

    private static Floor open(String holds, String... rooms) {
        return new Floor(false, holds, List.of(rooms));
    }

    /** The room of a package: the segment after {@code org.shardplan}; empty for the root package and for foreign ones. */
    static Optional<String> roomOf(String packageName) {
        if (!packageName.startsWith(ROOT + ".")) {
            return Optional.empty();
        }
        return Optional.of(packageName.substring(ROOT.length() + 1).split("\\.", 2)[0]);
    }

    static boolean isKnown(String room) {
        return floorOf(room) >= 0;
    }

    static boolean isPure(String room) {
        return isKnown(room) && FLOORS.get(floorOf(room)).pure();
    }

    /** Whether the map has an arrow from one room to the other; a room may always see itself. */
    static boolean sees(String from, String to) {
        return from.equals(to) || (isKnown(to) && floorOf(to) < floorOf(from));
    }

    private static int floorOf(String room) {
        return IntStream.range(0, FLOORS.size())
                .filter(floor -> FLOORS.get(floor).rooms().contains(room))
                .findFirst()
                .orElse(-1);
    }

    /** The map as ASCII art, top floor first, lines without trailing blanks. */
    static String picture() {
        int width = FLOORS.stream()
                .mapToInt(floor -> String.join(" | ", floor.rooms()).length())
                .max()
                .orElseThrow();
        StringBuilder picture = new StringBuilder(line('-', width)).append('\n');
        for (int i = FLOORS.size() - 1; i >= 0; i--) {
            Floor floor = FLOORS.get(i);
            picture.append("| %s |  %s%n".formatted(padded(floor.rooms(), width), floor.holds()));
            boolean border = i > 0 && !floor.pure() && FLOORS.get(i - 1).pure();
            picture.append(line(border ? '=' : '-', width)).append(border ? "  pure Java below\n" : "\n");
        }
        return picture.toString();
    }

    private static String line(char stroke, int width) {
        return "+" + String.valueOf(stroke).repeat(width + 2) + "+";
    }

    /** The rooms of a floor side by side, the last one stretched to the full width. */
    private static String padded(List<String> rooms, int width) {
        String row = rooms.stream().collect(Collectors.joining(" | "));
        return row + " ".repeat(width - row.length());
    }
}
