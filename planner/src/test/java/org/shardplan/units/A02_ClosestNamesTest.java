package org.shardplan.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** FEATURE UNDER TEST: the names that a mistyped word may have meant. */
final class A02_ClosestNamesTest {
    private static final List<String> NAMES =
            List.of("llama2-7b", "llama3-8b", "llama3-70b", "gpt3-175b", "mistral-7b");

    @Test
    void closestFirst() {
        assertEquals(List.of("llama3-70b", "llama2-7b", "llama3-8b"), ClosestNames.of("lama3-70b", NAMES));
        assertEquals(List.of("gpt3-175b"), ClosestNames.of("GPT3-175B", NAMES));
    }

    @Test
    void aBeginningIsClose() {
        assertEquals(List.of("mistral-7b"), ClosestNames.of("mistral", NAMES));
    }

    @Test
    void nothingIsCloseToNonsense() {
        assertEquals(List.of(), ClosestNames.of("resnet50", NAMES));
    }
}
