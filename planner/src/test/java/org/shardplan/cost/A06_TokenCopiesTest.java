package org.shardplan.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.Block;
import org.shardplan.graph.TransformerGraph;

/** How many domains hold a chosen expert. */
final class A06_TokenCopiesTest {
    @Test
    void oneDomainIsHitOnce() {
        assertEquals(1, new TokenCopies(8, 1, 1).hit(1), 1e-12);
    }

    @Test
    void twoDomainsAndTwoChoices() {
        assertEquals(1.5, new TokenCopies(2, 1, 1).hit(2), 1e-12, "both in one half the time");
    }

    @Test
    void asManyAsATossOfDiceGives() {
        Random random = new Random(1);
        int hits = 0;
        for (int token = 0; token < 100_000; token++) {
            int seen = 0;
            for (int choice = 0; choice < 8; choice++) {
                seen |= 1 << random.nextInt(8);
            }
            hits += Integer.bitCount(seen);
        }
        assertEquals(hits / 1e5, new TokenCopies(8, 1, 1).hit(8), 0.02);
    }

    @Test
    void groupsLimitTheNodes() {
        assertEquals(4, new TokenCopies(8, 8, 4).hit(8), 1e-12, "DeepSeek-V3: at most 4 of 8 nodes");
    }

    @Test
    void sendingOnceNeverSendsMore() {
        for (int domains = 2; domains <= 64; domains *= 2) {
            double share = new TokenCopies(8, 1, 1).share(domains * 8, domains, 8);
            assertTrue(share <= 1 && share >= 1.0 / 8, domains + ": " + share);
        }
    }

    @Test
    void oneLevelCountsRanks() {
        assertEquals(2 * (1 - 0.25) / 2, new TokenCopies(2, 1, 1).share(2, 2, 1), 1e-12);
    }

    @Test
    void withoutARouterAllIsSent() {
        assertEquals(1, TokenCopies.EACH.share(64, 8, 8), 1e-12);
    }

    @Test
    void readFromTheGraph() {
        Block last = TransformerGraph.build(ModelCatalog.find("deepseek-v3").sizes(), 4096, 1).blocks().stream()
                .filter(block -> TokenCopies.of(block).isRouted())
                .findFirst()
                .orElseThrow();
        assertEquals(new TokenCopies(8, 8, 4), TokenCopies.of(last));
    }
}
