package org.shardplan.form;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: each mistake in a cluster file is one message: file, line, field, value, and what to try. */
final class A04_BadClusterFileTest {
    private static final String GOOD = """
            format: shardplan.cluster/1
            name: mine
            device: h100-sxm-80gb
            nodes: 2
            devices-per-node: 8
            levels:
              - name: nvlink
                devices: 8
                both-ways: 900GB/s
                latency: 2us
              - name: infiniband
                devices: all
                nics: 8
                nic-one-way: 400Gbit/s
                latency: 5us
            """;
    private static final String DESCRIBED = GOOD.replace("device: h100-sxm-80gb\n", """
            device:
              name: my-gpu
              memory: 80GiB
              memory-bandwidth: 3352GB/s
              multiprocessors: 132
              peak:
                bf16: 989 TFLOP/s
            """);

    private static UserError refuse(String text) {
        return assertThrows(UserError.class, () -> ClusterFile.read(text, "f.yaml"));
    }

    @Test
    void bothAreFine() {
        assertEquals(16, ClusterFile.read(GOOD, "f.yaml").devices());
        assertEquals("my-gpu", ClusterFile.read(DESCRIBED, "f.yaml").device().name());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "both-ways: 900GB/s|bandwidth: 900GB/s|f.yaml:9: levels[0].bandwidth: 900GB/s does not say whether it counts one way or both|Maybe both-ways: 900GB/s (NVLink's figures count both), one-way: 900GB/s, or nic-one-way with nics.",
                "both-ways: 900GB/s|both-ways: 900|f.yaml:9: levels[0].both-ways: 900 has no unit|Maybe 300GB/s (bytes) or 200Gbit/s (bits).",
                "both-ways: 900GB/s|both-ways: 900GBps|f.yaml:9: levels[0].both-ways: \"900GBps\" has the unit \"GBps\", which may be bits or bytes|Maybe 900GB/s (bytes) or 900Gbit/s (bits).",
                "both-ways: 900GB/s|both-ways: 0GB/s|f.yaml:9: levels[0].both-ways: 0GB/s is zero|Maybe check the number and its unit.",
                "both-ways: 900GB/s|both-ways: -1GB/s|f.yaml:9: levels[0].both-ways: -1GB/s is negative|Maybe check the number and its unit.",
                "both-ways: 900GB/s|one-way: 900EB/s|f.yaml:9: levels[0].one-way: 900EB/s is too large|Maybe check the number and its unit.",
                "both-ways: 900GB/s|both-ways: .nan|f.yaml:9: levels[0].both-ways: \".nan\" is not a number with a unit|Maybe 300GB/s (bytes) or 200Gbit/s (bits).",
                "latency: 2us|latency: 2|f.yaml:10: levels[0].latency: 2 has no unit|Maybe 20us, 5ms or 1.37s.",
                "latency: 2us|latncy: 2us|f.yaml:7: levels[0].latency is missing|Maybe add it: see examples/clusters/two-racks.yaml.",
                "nodes: 2|node: 2|f.yaml:4: node: there is no such key|Maybe nodes.",
                "nodes: 2|nodes: 0|f.yaml:4: nodes: 0 is zero|Maybe check the number and its unit.",
                "nodes: 2|nodes: -3|f.yaml:4: nodes: -3 is negative|Maybe check the number and its unit.",
                "nodes: 2|nodes: two|f.yaml:4: nodes: \"two\" is not a whole number|Maybe 8.",
                "nodes: 2|nodes: 2000000|f.yaml:4: nodes: 16,000,000 devices in all; at most 10,000,000|Maybe 1250000.",
                "nodes: 2|nodes: 99999999999999999999999|f.yaml:4: nodes: 99999999999999999999999 is too large|Maybe check the number and its unit.",
                "nodes: 2|devices: 16|f.yaml:4: devices: the count is given twice (nodes, devices-per-node)|Maybe delete this one.",
                "nics: 8|rails: 8|f.yaml:14: levels[1].nic-one-way: how many NICs a node has is missing|Maybe nics: 8.",
                "devices: 8|devices: 4|f.yaml:5: devices-per-node: no level joins the 8 devices of a node|Maybe add a level with devices: 8.",
                "devices: all|devices: 12|f.yaml:12: levels[1].devices: 12 devices are not whole groups of the level below, which joins 8|Maybe list the levels innermost first.",
                "devices: all|devices: 8|f.yaml:7: levels: the outermost level joins 8 of 16 devices|Maybe add a level with devices: all.",
                "device: h100-sxm-80gb|device: h100-sxm|f.yaml:3: device: there is no device \"h100-sxm\" in the catalog|Maybe h100-sxm-80gb, or describe it: memory, memory-bandwidth, multiprocessors, peak.",
                "format: shardplan.cluster/1|format: shardplan.cluster/2|f.yaml:1: format: \"shardplan.cluster/2\" is not a format that is read here|Maybe shardplan.cluster/1.",
                "format: shardplan.cluster/1|# none|f.yaml:2: format is missing|Maybe the first line should be: format: shardplan.cluster/1",
                "name: mine|name: &a mine|f.yaml:2: the anchor &a is not allowed here|Maybe write the value out where it is used.",
                "name: mine|name: *a|f.yaml:2: the alias *a is not allowed here|Maybe write the value out.",
                "name: mine|name: !!str mine|f.yaml:2: the tag tag:yaml.org,2002:str is not allowed here|Maybe delete it: every value is plain text here.",
                "name: mine|name: !!javax.script.ScriptEngineManager [x]|f.yaml:2: the tag tag:yaml.org,2002:javax.script.ScriptEngineManager is not allowed here|Maybe delete it: every value is plain text here.",
                "name: mine|name: [mine]|f.yaml:2: name: a list is not a value|Maybe add it: see examples/clusters/two-racks.yaml.",
                "name: mine|nodes: 3|f.yaml:4: the key \"nodes\" a second time (first at line 2) is not allowed here|Maybe delete one of the two.",
                "name: mine|name: mine\\n---|f.yaml:3: a second document is not allowed here|Maybe split the file.",
                "name: mine|name: \"mine|f.yaml:16: this is not YAML: found unexpected end of stream|Maybe check indentation, colons and quotes there.",
                "name: mine|<<: {nodes: 3}|f.yaml:2: <<: there is no such key|Maybe one of: format, name, device, nodes, devices-per-node, devices, levels, torus, blocking-launches, note, price, node-price, power, node-power, pue, mtbf, node-mtbf, restart, storage, economics-source, stragglers, jitter, jitter-seed, contention."
            })
    void refused(String good, String bad, String message, String maybe) {
        assertTrue(GOOD.contains(good));
        String text = GOOD.replaceFirst(good, "").equals(GOOD) ? GOOD : GOOD.replace(good, bad.replace("\\n", "\n"));
        UserError error = refuse(text);
        assertEquals(message, error.getMessage());
        assertEquals(maybe, error.maybe());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "memory: 80GiB|memory: 80|f.yaml:5: device.memory: 80 has no unit",
                "memory: 80GiB|memory: 0GiB|f.yaml:5: device.memory: 0GiB is zero",
                "memory: 80GiB|memory: 80PiB|f.yaml:5: device.memory: 80PiB is too large",
                "bf16: 989 TFLOP/s|bf16: 989|f.yaml:9: device.peak.bf16: 989 has no unit",
                "bf16: 989 TFLOP/s|bf17: 989 TFLOP/s|f.yaml:9: device.peak.bf17: there is no such key",
                "bf16: 989 TFLOP/s|int8: 989 TFLOP/s|f.yaml:9: device.peak.bf16: neither bf16, fp16 nor fp32 has a rate",
                "multiprocessors: 132|usable-memory: 81GiB|f.yaml:7: device.usable-memory: 81GiB is more than the device's memory, 80GiB",
                "multiprocessors: 132|kernels: h100|f.yaml:4: device.multiprocessors is missing",
                "memory-bandwidth: 3352GB/s|memory_bandwidth: 3352GB/s|f.yaml:4: device.memory-bandwidth is missing"
            })
    void refusedDevices(String good, String bad, String message) {
        UserError error = refuse(DESCRIBED.replace(good, bad));
        assertEquals(message, error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe "));
    }

    @Test
    void noLinks() {
        UserError error = refuse(GOOD.substring(0, GOOD.indexOf("levels:")));
        assertEquals("f.yaml:1: levels: 16 devices and no links between them", error.getMessage());
        assertEquals("Maybe add a level: name, devices: all, one-way, latency.", error.maybe());
    }

    @Test
    void aTorusThatIsNotItsLevel() {
        String text = GOOD.replace("devices: all", "devices: 16")
                + "torus:\n  shape: [2, 4]\n  link-one-way: 45GB/s\n  latency: 1us\n";
        assertEquals(8, ClusterFile.read(text, "f.yaml").nodeSize());
        assertEquals(
                "f.yaml:8: levels[0].devices: 8 devices on a torus of [2, 5] = 10 chips",
                refuse(text.replace("[2, 4]", "[2, 5]")).getMessage());
        assertEquals(
                "f.yaml:17: torus.shape: 0 is zero",
                refuse(text.replace("[2, 4]", "[2, 0]")).getMessage());
        assertEquals(
                "f.yaml:17: torus.shape: 4 dimensions",
                refuse(text.replace("[2, 4]", "[2, 2, 2, 1]")).getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                "# nothing",
                "just words",
                "- a\n- b",
                "a: b: c",
                "\t- x",
                "{",
                "? [a]\n: b",
                "\0",
                "%TAG ! tag:x\n---\na: b"
            })
    void notACluster(String text) {
        UserError error = refuse(text);
        assertTrue(error.getMessage().startsWith("f.yaml"), error.getMessage());
        assertTrue(error.maybe().startsWith("Maybe "), error.maybe());
    }

    @Test
    void hugeAndDeep(@TempDir Path folder) throws IOException {
        Path huge = folder.resolve("huge.yaml");
        Files.writeString(huge, "# ".repeat(600_000));
        UserError error = assertThrows(UserError.class, () -> ClusterCatalog.resolve(huge.toString()));
        assertEquals(huge + " has 1200000 bytes, at most 1000000 are read", error.getMessage());
        assertEquals(
                "f.yaml:1: nesting deeper than 16 levels is not allowed here",
                refuse("a: " + "[".repeat(40) + "]".repeat(40)).getMessage());
        assertTrue(refuse("a: " + "[".repeat(100_000)).getMessage().startsWith("f.yaml"));
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0x12});
        assertEquals(
                binary + " is not text in UTF-8",
                assertThrows(UserError.class, () -> ClusterFile.read(binary)).getMessage());
        assertEquals(
                folder + " is a folder",
                assertThrows(UserError.class, () -> ClusterFile.read(folder)).getMessage());
    }

    /** Whatever byte of a good file is broken: an answer or a message, no other exception. */
    @Property(tries = 400)
    void anyBrokenByte(@ForAll @IntRange(min = 0, max = 255) int value, @ForAll @IntRange(min = 0, max = 350) int at) {
        byte[] bytes = DESCRIBED.getBytes(StandardCharsets.UTF_8);
        bytes[at % bytes.length] = (byte) value;
        try {
            ClusterFile.read(new String(bytes, StandardCharsets.UTF_8), "f.yaml");
        } catch (UserError error) {
            assertTrue(error.maybe().startsWith("Maybe "));
        }
    }

    @Test
    void unknownNamesInTheOtherCatalogs() {
        assertEquals(
                "Maybe megatron-core.",
                assertThrows(UserError.class, () -> FrameworkCatalog.get("megatron-cor"))
                        .maybe());
        assertEquals(
                List.of("device: there is no device \"a100\" in the catalog"),
                List.of(assertThrows(UserError.class, () -> DeviceCatalog.get("a100"))
                        .getMessage()));
    }

    @Test
    void aCurveOfAnUnknownDevice() {
        UserError error = refuse(GOOD.replace("latency: 2us", "latency: 2us\n    curve: h100-sxm-80g"));
        assertTrue(String.valueOf(error.getMessage()).startsWith("f.yaml:11: levels[0].curve"), error.getMessage());
        assertEquals("Maybe h100-sxm-80gb.", error.maybe());
    }
}
