package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.Checkout;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: files as they were published, where the workplace has them: read, or refused by name. */
final class A04_SharedConfigsTest {
    private static final Path MODELS =
            Checkout.root().resolve("../shared/models").normalize();

    /**
     * The index rounds names up to 1T, 355B, 230B, 26B and 32B; e5 is published without its head, and Falcon's 41.84 counts the tied head
     * twice; OpenAI counts Whisper's 39 M otherwise than the hub.
     */
    private static final List<String> LOOSE =
            List.of("e5", "falcon", "Kimi", "GLM-4.5", "MiniMax", "gemma-4", "Olmo", "whisper");

    @Test
    void allHaveTheirPublishedSize() throws IOException {
        assumeTrue(Files.isDirectory(MODELS), "no published configs at " + MODELS);
        List<String> refused = new ArrayList<>();
        int read = 0;
        for (String line : Files.readAllLines(MODELS.resolve("INDEX.csv"))) {
            String[] columns = line.split(",");
            Path file = MODELS.resolve(columns[0]);
            if (columns[0].equals("file")) {
                continue;
            }
            if (!HuggingFaceConfig.types().contains(columns[5])) {
                UserError error = assertThrows(UserError.class, () -> HuggingFaceConfig.read(file), columns[0]);
                assertTrue(error.getMessage().contains("not supported in this version"), error.getMessage());
                refused.add(columns[0]);
                continue;
            }
            TransformerSizes found = HuggingFaceConfig.read(file).sizes();
            TransformerSizes sizes = found.with(found.extensions().withNextTokens(0));
            read++;
            if (!columns[6].isEmpty()) {
                double billions =
                        TransformerGraph.build(sizes, sizes.seqLen(), 1).parameterElements() / 1e9;
                double published = Double.parseDouble(columns[6]);
                double slack = LOOSE.stream().anyMatch(columns[0]::startsWith) ? 0.035 : 0.005;
                assertEquals(published, billions, published * slack + 0.005, columns[0]);
            }
        }
        assertTrue(read >= 76, "read " + read + ", refused " + refused);
    }
}
