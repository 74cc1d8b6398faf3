package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: Slurm's switches become tiers. */
final class A06_SlurmTopologyTest {
    private static SlurmTopology parse(String text) {
        return SlurmTopology.parse(text, "f");
    }

    private static String refused(String text) {
        return assertThrows(UserError.class, () -> parse(text)).getMessage();
    }

    @Test
    void aTree() {
        SlurmTopology tree = parse("""
                # comment
                SwitchName=s1 Nodes=n[01-04] LinkSpeed=100
                switchname=s2 nodes=n05,n[06-07],n08   # the other leaf
                SwitchName=top \\
                  Switches=s[1-2]
                """);
        assertEquals(8, tree.nodes());
        assertEquals(List.of(4, 8), tree.tiers());
        assertEquals(List.of("not read: LinkSpeed"), tree.remarks());
    }

    @Test
    void unlikeLeavesAreLeftOut() {
        SlurmTopology tree = parse("SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-8]\nSwitchName=t Switches=a,b");
        assertEquals(List.of(8), tree.tiers());
        assertTrue(
                tree.remarks().getFirst().contains("join 3 to 5 nodes"),
                tree.remarks().toString());
    }

    @Test
    void blocksHaveNoSwitchAbove() {
        SlurmTopology blocks = parse("BlockName=b1 Nodes=n[1-18]\nBlockName=b2 Nodes=n[19-36]\nBlockSizes=18,36");
        assertEquals(List.of(18, 36), blocks.tiers());
        assertTrue(blocks.remarks().toString().contains("a tier that does is assumed"));
    }

    @Test
    void whatIsBrokenIsRefused() {
        assertTrue(refused("SwitchName=a Nodes=n[1-3\n").contains("bracket"));
        assertTrue(refused("SwitchName=a Nodes=n[3-1]\n").contains("backwards"));
        assertTrue(refused("SwitchName=a Nodes=n[1-999999999]\n").contains("more than 1000000"));
        assertTrue(refused("SwitchName=a Nodes=n[1-9999][1-9999]\n").contains("more than 1000000"));
        assertTrue(refused("SwitchName=a\n").contains("neither Switches and Nodes"));
        assertTrue(refused("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1\n").contains("f:2: node n1 hangs on two"));
        assertTrue(
                refused("SwitchName=a Nodes=n1\nSwitchName=b Switches=a,c\n").contains("joins c, which has no line"));
        assertTrue(refused("SwitchName=a Nodes=n1\nSwitchName=b Switches=c\nSwitchName=c Switches=b\n")
                .contains("below itself"));
        assertTrue(refused("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n").contains("twice"));
        assertTrue(refused("SwitchName=a Nodes n1\n").contains("not KEY=VALUE"));
        assertTrue(refused("SwitchName=b Switches=\n").contains("KEY=VALUE"));
    }
}
