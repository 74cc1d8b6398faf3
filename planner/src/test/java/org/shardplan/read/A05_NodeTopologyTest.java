package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: what a node's tools print becomes facts, and what is broken is refused with its place. */
final class A05_NodeTopologyTest {
    /** Two pairs under NVLink bridges, as an underlined header and with a NIC of storage across the sockets. */
    private static final String BRIDGES = """
            \t\u001B[4mGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tmlx5_1\tCPU Affinity\tNUMA Affinity\u001B[0m
            GPU0\t X \tNV12\tNODE\tSYS\tPXB\tSYS\t0-31\t0
            GPU1\tNV12\t X \tSYS\tSYS\tPXB\tSYS\t0-31\t0
            GPU2\tNODE\tSYS\t X \tNV12\tSYS\tSYS\t32-63\t1
            GPU3\tSYS\tSYS\tNV12\t X \tSYS\tSYS\t32-63\t1
            mlx5_0\tPXB\tPXB\tSYS\tSYS\t X \tSYS
            mlx5_1\tSYS\tSYS\tSYS\tSYS\tSYS\t X

            Legend:
              X    = Self
            """;

    private static final String NCCL = """
            <system version="1">
              <cpu numaid="0" arch="x86_64">
                <pci busid="0000:01:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
                  <pci busid="0000:02:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
                    <gpu dev="0" sm="90" rank="0" gdr="1"><nvlink target="0000:99:00.0" count="18" tclass="0x068000"/></gpu>
                  </pci>
                  <pci busid="0000:03:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
                    <nic><net name="mlx5_0" dev="0" speed="400000" port="1"/><net name="eth0" dev="1" speed="25000"/></nic>
                  </pci>
                </pci>
                <pci busid="0000:12:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="16">
                  <gpu dev="1" sm="90" rank="1" gdr="1"><nvlink target="0000:99:00.0" count="18" tclass="0x068000"/></gpu>
                </pci>
              </cpu>
            </system>
            """;

    private static UserError refuse(String text) {
        return assertThrows(UserError.class, () -> TopologyFile.node(text, "f"));
    }

    @Test
    void bridgesJoinPairs() {
        NodeTopology node = TopologyFile.node(BRIDGES, "f");
        assertEquals(4, node.gpus());
        assertEquals(2, node.island());
        assertEquals(12, node.linksPerGpu(12));
        assertEquals(1, node.nics());
        assertTrue(node.remarks().toString().contains("mlx5_1"), node.remarks().toString());
    }

    /** DGX-1's cube mesh: one or two links to four of seven peers, six in all. */
    @Test
    void aCubeMeshHasSixLinksAtWork() {
        String[] rows = {
            "X 1 1 2 2 0 0 0",
            "1 X 2 1 0 2 0 0",
            "1 2 X 2 0 0 1 0",
            "2 1 2 X 0 0 0 1",
            "2 0 0 0 X 1 1 2",
            "0 2 0 0 1 X 2 1",
            "0 0 1 0 1 2 X 2",
            "0 0 0 1 2 1 2 X"
        };
        StringBuilder text = new StringBuilder("\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\tCPU Affinity\n");
        for (int i = 0; i < rows.length; i++) {
            text.append("GPU").append(i);
            for (String cell : rows[i].split(" ", -1)) {
                text.append('\t').append(cell.equals("0") ? "SYS" : cell.equals("X") ? " X " : "NV" + cell);
            }
            text.append("\t0-79\n");
        }
        NodeTopology node = TopologyFile.node(text.toString(), "f");
        assertEquals(8, node.island());
        assertEquals(6, node.linksPerGpu(6));
    }

    @Test
    void pairsBeyondWhatAGpuHasAreSwitched() {
        NodeTopology node = TopologyFile.node(BRIDGES.replace("NODE", "NV12").replace("SYS", "NV12"), "f");
        assertEquals(4, node.island());
        assertEquals(12, node.linksPerGpu(12));
        assertEquals(8, TopologyFile.node(BRIDGES.replace("NV12", "NV8"), "f").linksPerGpu(18));
    }

    @Test
    void ncclKnowsSwitchesAndSpeeds() {
        NodeTopology node = TopologyFile.node(NCCL, "f");
        assertEquals(2, node.gpus());
        assertTrue(node.switched());
        assertEquals(18, node.linksPerGpu(18));
        assertEquals(90, node.computeCapability());
        assertEquals(1, node.nics());
        assertEquals(50e9, node.nicBytesPerSecond(), 1);
        assertEquals(32e9 * 16 / 8 * 128 / 130, node.pcieBytesPerSecond(), 1);
        assertTrue(
                node.remarks().toString().contains("25000 Mbit/s"),
                node.remarks().toString());
    }

    @Test
    void plainPciDevicesLeaveNvlinksOpen() {
        NodeTopology node =
                TopologyFile.node(NCCL.replaceAll("(?s)<gpu.*?</gpu>", "").replaceAll("(?s)<nic>.*?</nic>", ""), "f");
        assertEquals(0, node.island());
        assertEquals(2, node.gpus());
        assertEquals(1, node.nics());
        assertTrue(Double.isNaN(node.nicBytesPerSecond()));
    }

    @Test
    void aBrokenMatrixIsRefusedWithItsPlace() {
        assertTrue(refuse(BRIDGES.replace("\tNODE\tSYS\tPXB\tSYS\t0-31\t0", "\tNODE"))
                .getMessage()
                .contains("f:2: GPU0 has 3 of 6"));
        assertTrue(refuse(BRIDGES.replaceFirst("GPU3\t(?!mlx).*\n", ""))
                .getMessage()
                .contains("row of GPU3 is missing"));
        assertTrue(refuse(BRIDGES.replaceFirst("NV12", "NV4"))
                .getMessage()
                .contains("GPU1 to GPU0 is 12 NVLinks, and back it is 4"));
        assertTrue(refuse(BRIDGES.replaceFirst("NODE", "NEAR")).getMessage().contains("f:2: \"NEAR\" in column GPU2"));
        assertTrue(refuse(BRIDGES.replaceFirst("GPU1\tNV12\t X ", "GPU1\t X \tNV12"))
                .getMessage()
                .contains("to itself"));
        String headless = BRIDGES.substring(BRIDGES.indexOf('\n') + 1);
        assertTrue(refuse(headless).getMessage().contains("column names"), headless);
        assertTrue(refuse("no matrix").maybe().startsWith("Maybe nvidia-smi topo -m"));
    }

    /** Nothing is read but the file: no entity, no DTD, whatever it names. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE system [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>\n<system><cpu arch=\"a\">&x;</cpu></system>",
                "<!DOCTYPE system SYSTEM \"http://127.0.0.1:9/x.dtd\">\n<system/>",
                "<!DOCTYPE system [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;&a;\">]>\n<system note=\"&b;\"/>",
                "<system>&x;</system>"
            })
    void entitiesAreRefused(String text) {
        UserError error = refuse(text);
        assertTrue(error.getMessage().startsWith("f:"), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe"), error.maybe());
        assertFalse(error.getMessage().contains("no GPU"), error.getMessage());
    }

    @Test
    void brokenXmlIsRefusedWithItsPlace() {
        assertTrue(refuse(NCCL.substring(0, NCCL.length() / 2)).getMessage().contains("not whole XML"));
        assertTrue(refuse("<html><body/></html>").getMessage().contains("outermost element is \"html\""));
        assertTrue(refuse("<system version=\"1\"/>").getMessage().contains("no GPU"));
        assertTrue(refuse(NCCL.replaceFirst("count=\"18\"", "count=\"many\""))
                .getMessage()
                .contains("count=\"many\""));
        String deep = "<system>" + "<pci>".repeat(10_000) + "</pci>".repeat(10_000) + "</system>";
        assertTrue(refuse(deep).getMessage().contains("more than 64"));
    }
}
