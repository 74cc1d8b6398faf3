package org.shardplan.job;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.read.HuggingFaceConfig;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/** Turns what a user calls a model into its sizes: a name of the catalog, a config.json, or a folder that holds one. */
public final class ModelSource {
    private static final Pattern HUB_ID = Pattern.compile("[A-Za-z0-9][\\w.-]*/[A-Za-z0-9][\\w.-]*");

    private ModelSource() {}

    /**
     * A model that was found.
     *
     * @param sizes what it is
     * @param source where its sizes are published, or the file's path
     * @param hash SHA-256 of the file, or of the catalog entry's sizes, hexadecimal
     * @param notes what was ignored or assumed
     */
    public record Found(TransformerSizes sizes, String source, String hash, List<String> notes) {
        public Found {
            notes = List.copyOf(notes);
        }
    }

    /**
     * Finds a model.
     *
     * @param argument the user's words
     * @throws UserError when there is neither such a name nor such a file, or the file can't be read as a dense decoder
     */
    public static Found resolve(String argument) {
        String name = argument.strip();
        if (name.isEmpty()) {
            throw new UserError("no model is named", "Maybe llama3-70b, or the path of a config.json");
        }
        if (ModelCatalog.contains(name)) {
            ModelCatalog.Entry entry = ModelCatalog.find(name);
            List<String> notes = entry.note().isEmpty() ? List.of() : List.of(entry.note());
            byte[] sizes = entry.sizes().toString().getBytes(StandardCharsets.UTF_8);
            return new Found(entry.sizes(), entry.source(), hash(sizes), notes);
        }
        Path file = path(name);
        if (Files.isDirectory(file) && Files.isRegularFile(file.resolve("config.json"))) {
            file = file.resolve("config.json");
        }
        if (!Files.exists(file)) {
            throw unknown(name);
        }
        refuseOtherKinds(name);
        if (GivenPlan.isPlanFile(name)) {
            throw new UserError(
                    name + " is a plan, not a model", "Maybe shardplan simulate " + name + ", or explain " + name);
        }
        byte[] content = HuggingFaceConfig.content(file);
        HuggingFaceConfig.Read read = HuggingFaceConfig.parse(HuggingFaceConfig.nameOf(file), file.toString(), content);
        return new Found(read.sizes(), file.toString(), hash(content), read.notes());
    }

    private static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw unknown(name);
        }
    }

    private static void refuseOtherKinds(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.endsWith(".onnx")) {
            throw new UserError(
                    name + ": ONNX files are not supported in this version", "Maybe give the model's config.json");
        }
        for (String weights : List.of(".safetensors", ".gguf", ".bin", ".pt", ".pth")) {
            if (lower.endsWith(weights)) {
                throw new UserError(name + " holds weights", "Maybe give the config.json that lies beside it");
            }
        }
    }

    private static UserError unknown(String name) {
        boolean address = name.contains("://");
        if (address || HUB_ID.matcher(name).matches() && !name.endsWith(".json")) {
            return new UserError(
                    name + " looks like " + (address ? "an address" : "a Hugging Face id")
                            + ", and nothing is downloaded here",
                    "Maybe download its config.json and give the path of that");
        }
        List<String> close = ClosestNames.of(
                name, ModelCatalog.list().stream().map(ModelCatalog.Entry::name).toList());
        String what = "there is no model \"" + name + "\" in the catalog, and no such file";
        return new UserError(
                what,
                close.isEmpty()
                        ? "Maybe the path is misspelled; ./shardplan models lists the names"
                        : "Maybe " + String.join(" or ", close));
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
