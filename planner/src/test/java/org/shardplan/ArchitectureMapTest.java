package org.shardplan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ArchitectureMapTest {
    private static final String BEGIN = "<!-- picture: printed from ArchitectureMap -->\n```text\n";
    private static final String END = "```\n<!-- end of picture -->";

    @Test
    void aRoomSeesTheFloorsBelowItsOwnOnly() {
        assertTrue(ArchitectureMap.sees("sim", "cost"));
        assertFalse(ArchitectureMap.sees("cost", "search"));
        assertFalse(ArchitectureMap.sees("form", "report"), "siblings");
        assertFalse(ArchitectureMap.sees("cli", "serve"), "two fronts");
        assertTrue(ArchitectureMap.sees("cli", "report"));
        assertTrue(ArchitectureMap.sees("graph", "graph"));
        assertFalse(ArchitectureMap.sees("cli", "helpers"), "off the map");
        assertTrue(ArchitectureMap.isPure("search"));
        assertFalse(ArchitectureMap.isPure("form"));
    }

    @Test
    void theRoomIsTheFirstSegment() {
        assertEquals(Optional.of("form"), ArchitectureMap.roomOf("org.shardplan.form.catalog"));
        assertEquals(Optional.empty(), ArchitectureMap.roomOf("org.shardplan"));
        assertEquals(Optional.empty(), ArchitectureMap.roomOf("org.shardplanner.form"));
    }

    @Test
    void eachRoomIsDeclaredOnce() {
        List<String> rooms = ArchitectureMap.FLOORS.stream()
                .flatMap(floor -> floor.rooms().stream())
                .toList();
        assertEquals(rooms.size(), new HashSet<>(rooms).size(), rooms::toString);
    }

    /** {@code -Dshardplan.update=true} rewrites the picture. */
    @Test
    void thePictureInTheDocsIsTheMap() throws IOException {
        Path page = Checkout.root().resolve("docs/architecture.md");
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END, begin);
        assertTrue(
                begin >= 0 && end > begin, "docs/architecture.md has no place for the picture: " + BEGIN + "…" + END);
        String wanted = text.substring(0, begin + BEGIN.length()) + ArchitectureMap.picture() + text.substring(end);
        if (Boolean.getBoolean("shardplan.update") && !wanted.equals(text)) {
            Files.writeString(page, wanted);
        } else {
            assertEquals(wanted, text, "Maybe run: ./check -Dtest=ArchitectureMapTest -Dshardplan.update=true");
        }
    }
}
