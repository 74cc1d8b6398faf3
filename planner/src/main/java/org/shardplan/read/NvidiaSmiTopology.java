package org.shardplan.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.shardplan.units.UserError;

/**
 * What {@code nvidia-smi topo -m} prints: a matrix of paths. Its legend, from the nearest: {@code NV#} a bonded set of # NVLinks,
 * {@code PIX} at most one PCIe bridge, {@code PXB} several, {@code PHB} a PCIe host bridge, {@code NODE} host bridges of one NUMA
 * node, {@code SYS} the link between NUMA nodes. GPUs are the columns {@code GPU#}; what stands between them and {@code CPU
 * Affinity} are NICs, under {@code NIC#} or their own names. The legends below the matrix are not needed.
 */
final class NvidiaSmiTopology {
    private static final List<String> PATHS = List.of("PIX", "PXB", "PHB", "NODE", "SYS");
    private static final Pattern CONTROL = Pattern.compile("\u001B\\[[0-9;]*[A-Za-z]");
    private static final Pattern NVLINKS = Pattern.compile("NV[0-9]{1,3}");
    private static final int MOST_GPUS = 256;

    private final String file;
    private final List<String> columns;
    private final Map<String, String[]> rows = new TreeMap<>();

    private NvidiaSmiTopology(String file, List<String> columns) {
        this.file = file;
        this.columns = columns;
    }

    /** @throws UserError with line, column and value where the matrix is not whole */
    static NodeTopology parse(String text, String file) {
        List<String> lines = CONTROL.matcher(text).replaceAll("").lines().toList();
        int header = 0;
        while (header < lines.size() && !lines.get(header).strip().matches("GPU0(\\s.*)?")) {
            header++;
        }
        if (header == lines.size()) {
            throw new UserError(
                    file + ": there is no line of columns that begins with GPU0", "Maybe nvidia-smi topo -m > " + file);
        }
        NvidiaSmiTopology matrix = new NvidiaSmiTopology(file, columns(lines.get(header)));
        matrix.checkColumns(header + 1);
        for (int i = header + 1; i < lines.size() && !lines.get(i).strip().matches("(NIC )?Legend:"); i++) {
            matrix.row(lines.get(i), i + 1);
        }
        return matrix.topology();
    }

    /** Names up to the affinities. */
    private static List<String> columns(String header) {
        List<String> names = new ArrayList<>();
        for (String word : header.strip().split("\\s+", -1)) {
            if (word.equals("CPU") || word.equals("NUMA")) {
                break;
            }
            names.add(word);
        }
        return names;
    }

    private int gpus() {
        int gpus = 0;
        while (gpus < columns.size() && columns.get(gpus).equals("GPU" + gpus)) {
            gpus++;
        }
        return gpus;
    }

    private void checkColumns(int line) {
        for (String name : columns) {
            if (name.equals("X")
                    || PATHS.contains(name)
                    || NVLINKS.matcher(name).matches()) {
                throw new UserError(
                        file + ":" + line + ": the line of column names (GPU0 GPU1 …) above this one is missing",
                        "Maybe copy the whole of what nvidia-smi topo -m prints.");
            }
        }
        boolean later = columns.stream().skip(gpus()).anyMatch(name -> name.matches("GPU[0-9]+"));
        if (later || gpus() > MOST_GPUS) {
            throw new UserError(
                    file + ":" + line + ": the columns are not GPU0, GPU1, … and then NICs, at most " + MOST_GPUS
                            + " GPUs",
                    "Maybe copy the whole of what nvidia-smi topo -m prints.");
        }
    }

    private void row(String text, int line) {
        String[] words = text.strip().split("\\s+", -1);
        if (!columns.contains(words[0])) {
            return;
        }
        String[] cells = Arrays.copyOfRange(words, 1, Math.min(words.length, columns.size() + 1));
        for (int i = 0; i < cells.length; i++) {
            if (!cells[i].equals("X")
                    && !PATHS.contains(cells[i])
                    && !NVLINKS.matcher(cells[i]).matches()) {
                throw new UserError(
                        "%s:%d: \"%s\" in column %s is not X, NV#, PIX, PXB, PHB, NODE or SYS"
                                .formatted(file, line, cells[i], columns.get(i)),
                        "Maybe the line is cut off, or its columns have moved.");
            }
        }
        if (cells.length < columns.size()) {
            throw new UserError(
                    "%s:%d: %s has %d of %d columns".formatted(file, line, words[0], cells.length, columns.size()),
                    "Maybe the line is cut off.");
        }
        int self = columns.indexOf(words[0]);
        if (!cells[self].equals("X") || rows.put(words[0], cells) != null) {
            throw new UserError(
                    "%s:%d: %s is \"%s\" to itself, or stands there twice".formatted(file, line, words[0], cells[self]),
                    "Maybe the line's columns have moved.");
        }
    }

    private NodeTopology topology() {
        int gpus = gpus();
        int[][] links = new int[gpus][gpus];
        for (int i = 0; i < gpus; i++) {
            String[] row = rows.get("GPU" + i);
            if (row == null) {
                throw new UserError(
                        file + ": the row of GPU" + i + " is missing; there are columns for " + gpus + " GPUs",
                        "Maybe the file is cut off: nvidia-smi topo -m > " + file);
            }
            for (int j = 0; j < gpus; j++) {
                links[i][j] = row[j].startsWith("NV") ? Integer.parseInt(row[j].substring(2)) : 0;
                if (j < i && links[j][i] != links[i][j]) {
                    throw new UserError(
                            "%s: GPU%d to GPU%d is %d NVLinks, and back it is %d"
                                    .formatted(file, i, j, links[i][j], links[j][i]),
                            "Maybe a line's columns have moved.");
                }
            }
        }
        List<String> remarks = new ArrayList<>();
        LinkIslands islands = new LinkIslands(links);
        int size = islands.size(remarks);
        int nics = nics(gpus, remarks);
        return new NodeTopology(
                file,
                gpus,
                size,
                size == 1 ? 0 : islands.pairLinks(),
                size == 1 ? 0 : islands.sumLinks(),
                false,
                Double.NaN,
                0,
                nics,
                Double.NaN,
                remarks);
    }

    /** NICs that are as near to some GPU as any is: a NIC farther off is taken for one of storage or management. */
    private int nics(int gpus, List<String> remarks) {
        int nearest = PATHS.size();
        int[] distance = new int[columns.size()];
        for (int nic = gpus; nic < columns.size(); nic++) {
            distance[nic] = PATHS.size();
            for (int gpu = 0; gpu < gpus; gpu++) {
                String[] row = rows.get("GPU" + gpu);
                distance[nic] = Math.min(distance[nic], row == null ? PATHS.size() : rank(row[nic]));
            }
            nearest = Math.min(nearest, distance[nic]);
        }
        int count = 0;
        List<String> others = new ArrayList<>();
        for (int nic = gpus; nic < columns.size(); nic++) {
            // PIX and PXB both stay below the host bridge: no difference to GPUDirect
            boolean near = distance[nic] <= Math.max(nearest, PATHS.indexOf("PXB"));
            count += near ? 1 : 0;
            if (!near) {
                others.add(columns.get(nic));
            }
        }
        if (!others.isEmpty()) {
            remarks.add(
                    "not counted, for they are farther from every GPU than other NICs: " + String.join(", ", others));
        }
        return count;
    }

    private static int rank(String cell) {
        int rank = PATHS.indexOf(cell);
        return rank < 0 ? PATHS.size() : rank;
    }
}
