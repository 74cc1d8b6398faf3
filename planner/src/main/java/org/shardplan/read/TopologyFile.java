package org.shardplan.read;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.shardplan.units.UserError;

/** A file that a machine printed, told apart by what stands in it. */
public final class TopologyFile {
    /** NCCL's file of a rack of 72 has some 200 kB. */
    private static final int MOST_BYTES = 4_000_000;

    private static final Pattern SWITCHES = Pattern.compile("(?im)^\\s*(SwitchName|BlockName)\\s*=");
    private static final Pattern MATRIX = Pattern.compile("(?m)^.*\\bGPU0\\b.*$");

    /** What it is. */
    public enum Kind {
        NVIDIA_SMI,
        NCCL,
        SLURM,
        NONE
    }

    private TopologyFile() {}

    /** @throws UserError where it is no text, too long or can't be read */
    public static String text(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new UserError(
                        file + " has " + Files.size(file) + " bytes, at most " + MOST_BYTES + " are read",
                        "Maybe it is another kind of file.");
            }
            String text = Files.readString(file);
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new UserError(file + " is not text in UTF-8", "Maybe it is another kind of file.");
        } catch (IOException e) {
            throw new UserError(file + " cannot be read: " + e.getMessage(), "Maybe the path is mistyped.");
        }
    }

    /** By the first mark of each kind. */
    public static Kind kind(String text) {
        if (text.stripLeading().startsWith("<")) {
            return Kind.NCCL;
        }
        if (SWITCHES.matcher(text).find()) {
            return Kind.SLURM;
        }
        return MATRIX.matcher(text).find() ? Kind.NVIDIA_SMI : Kind.NONE;
    }

    /** A node's file of either kind. @throws UserError with file, line and value */
    public static NodeTopology node(String text, String file) {
        return kind(text) == Kind.NCCL ? NcclTopology.parse(text, file) : NvidiaSmiTopology.parse(text, file);
    }
}
