package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.Checkout;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: what a user may call a model. */
final class A01_ModelSourceTest {
    private static final Path EXAMPLES = Checkout.root().resolve("examples");

    @Test
    void aCatalogName() {
        ModelSource.Found found = ModelSource.resolve("gpt3-175b");
        assertEquals(96, found.sizes().layers());
        assertEquals(64, found.hash().length());
    }

    /** The example's config and the catalog agree on every field. */
    @Test
    void aFileOrItsFolder() {
        TransformerSizes known = ModelCatalog.find("llama3-70b").sizes();
        assertEquals(known, resolve(EXAMPLES.resolve("llama3-70b/config.json")));
        assertEquals(known, resolve(EXAMPLES.resolve("llama3-70b")));
        assertEquals("gpt2", resolve(EXAMPLES.resolve("gpt2")).name());
    }

    @Test
    void aHubId() {
        assertError(
                "meta-llama/Llama-3-8B",
                "meta-llama/Llama-3-8B looks like a Hugging Face id, and nothing is downloaded here",
                "Maybe download its config.json and give the path of that");
        assertError(
                "https://huggingface.co/gpt2",
                "https://huggingface.co/gpt2 looks like an address, and nothing is downloaded here",
                "Maybe download its config.json and give the path of that");
    }

    @Test
    void aMistypedName() {
        assertError(
                "llama3-7b",
                "there is no model \"llama3-7b\" in the catalog, and no such file",
                "Maybe llama2-7b or llama3-70b or llama3-8b");
        assertError(
                "a/b/config.json",
                "there is no model \"a/b/config.json\" in the catalog, and no such file",
                "Maybe the path is misspelled; ./shardplan models lists the names");
        assertError(" ", "no model is named", "Maybe llama3-70b, or the path of a config.json");
    }

    @Test
    void filesOfOtherKinds(@TempDir Path folder) throws IOException {
        Path onnx = Files.writeString(folder.resolve("m.onnx"), "x");
        Path weights = Files.writeString(folder.resolve("m.safetensors"), "x");
        assertError(
                onnx.toString(),
                onnx + ": ONNX files are not supported in this version",
                "Maybe give the model's config.json");
        assertError(weights.toString(), weights + " holds weights", "Maybe give the config.json that lies beside it");
        assertError(
                folder.toString(),
                folder + " is a directory, a config.json is needed",
                "Maybe give " + folder.resolve("config.json"));
    }

    private static TransformerSizes resolve(Path path) {
        return ModelSource.resolve(path.toString()).sizes();
    }

    private static void assertError(String argument, String message, String maybe) {
        UserError error = assertThrows(UserError.class, () -> ModelSource.resolve(argument));
        assertEquals(message, error.getMessage());
        assertEquals(maybe, error.maybe());
    }
}
