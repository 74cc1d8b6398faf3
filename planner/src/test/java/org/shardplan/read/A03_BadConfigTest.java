package org.shardplan.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.units.UserError;

/** FEATURE UNDER TEST: a bad config gets one message that names file, line, field and value, and a line that helps. */
final class A03_BadConfigTest {
    /** One line, so that every message says line 1; each case replaces one field or adds one. */
    private static final String GOOD = "{'model_type':'llama','hidden_size':64,'num_hidden_layers':2,"
            + "'num_attention_heads':4,'num_key_value_heads':2,'vocab_size':1000,'intermediate_size':128,'x':1}";

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'llama'     | 'lama'         | c.json, line 1: model_type = "lama" is unknown | Maybe llama or bamba or jamba
            'llama'     | 'arctic'       | c.json, line 1: model_type = "arctic" is a mixture of experts of another kind, which is not supported in this version | Maybe plan a dense decoder of the same size instead
            'llama'     | 'electra'      | c.json, line 1: model_type = "electra" is an encoder of another kind, which is not supported in this version | Maybe plan a dense decoder of the same size instead
            'llama'     | 'qwen2_vl'     | c.json, line 1: model_type = "qwen2_vl" is a model of more than text of another kind, which is not supported in this version | Maybe plan a dense decoder of the same size instead
            'llama'     | 7              | c.json, line 1: model_type = 7 is not a text | Maybe quotes are missing
            'x':1       | 'num_local_experts':8 | c.json, line 1: num_local_experts = 8 means mixture of experts, which is not supported in this version | Maybe plan a dense decoder of the same size instead
            'x':1       | 'n_routed_experts':64 | c.json, line 1: n_routed_experts = 64 means mixture of experts, which is not supported in this version | Maybe plan a dense decoder of the same size instead
            'x':1       | 'head_dim':0   | c.json, line 1: head_dim = 0 is out of range: 1 to 10,000,000 | Maybe a digit is wrong
            'x':1       | 'vocab_size':1 | c.json, line 1, column *: Duplicate field 'vocab_size' | Maybe one of the two is left over
            'x':1       | 'tie_word_embeddings':'no' | c.json, line 1: tie_word_embeddings = "no" is not true or false | Maybe drop the quotes
            'x':1       | 'n_embd':128   | c.json, line 1: n_embd = 128 differs from hidden_size = 64, its other name | Maybe one of the two is left over
            'vocab_size'| 'vocabsize'    | c.json: field vocab_size is missing | Maybe "vocabsize" should be "vocab_size"
            'vocab_size':1000 | 'vocab_size':null | c.json: field vocab_size is null | Maybe the file was shortened: compare it with the published config.json
            {'model     | version https://git-lfs | c.json is a Git LFS pointer, not the file itself | Maybe run git lfs pull
            1000        | '1000'         | c.json, line 1: vocab_size = "1000" is a text, a whole number is needed | Maybe drop the quotes
            1000        | 1000.5         | c.json, line 1: vocab_size = 1000.5 is not a whole number | Maybe 1001
            1000        | NaN            | c.json, line 1: vocab_size = NaN is out of range: 1 to 1,000,000,000 | Maybe a digit is wrong
            1000        | -1             | c.json, line 1: vocab_size = -1 is out of range: 1 to 1,000,000,000 | Maybe a digit is wrong
            1000        | 2000000000     | c.json, line 1: vocab_size = 2000000000 is out of range: 1 to 1,000,000,000 | Maybe a digit is wrong
            1000        | 99999999999999999999 | c.json, line 1: vocab_size = 99999999999999999999 is out of range: 1 to 1,000,000,000 | Maybe a digit is wrong
            1000        | [1]            | c.json, line 1: vocab_size = […] is not a number, a whole number is needed | Maybe it belongs to another field
            layers':2   | layers':200000 | c.json, line 1: num_hidden_layers = 200000 is out of range: 1 to 100,000 | Maybe a digit is wrong
            layers':2   | layers':0      | c.json, line 1: num_hidden_layers = 0 is out of range: 1 to 100,000 | Maybe a digit is wrong
            heads':4    | heads':5       | c.json, line 1: hidden_size = 64 is not a multiple of num_attention_heads = 5, and head_dim is not given | Maybe add "head_dim", or num_attention_heads is 4, which divides it
            heads':2    | heads':3       | c.json, line 1: num_key_value_heads = 3 doesn't fit: 3 key-value heads do not divide 4 query heads | Maybe num_key_value_heads is 2
            heads':2    | heads':8       | c.json, line 1: num_key_value_heads = 8 doesn't fit: 8 key-value heads do not divide 4 query heads | Maybe num_key_value_heads is 4
            1000,       | 1000           | c.json, line 1, column *: this is not JSON: * | Maybe a comma or a quote is missing before it
            {'model     | bad             | c.json, line 1, column 1: this is not JSON: Unrecognized token 'bad_type' | Maybe a comma or a quote is missing before it
            1}          | 1              | c.json, line 1, column *: the JSON ends too early | Maybe the file was cut short: download it again
            1}          | 1} {}          | c.json, line 1: text follows the end of the JSON object | Maybe two files were joined
            {'model     | [{'model       | c.json does not hold a JSON object: it starts with "[" | Maybe this is another file than config.json
            {'model     | <html>         | c.json starts with "<": it is a web page or XML, not JSON | Maybe the page was saved instead of the raw file
            """)
    void oneMessage(String good, String bad, String message, String maybe) {
        UserError error = assertThrows(UserError.class, () -> parse(GOOD.replace(good.strip(), bad.strip())));
        String shape = "\\Q" + message.replace("*", "\\E.*\\Q") + "\\E";
        assertTrue(error.getMessage().matches(shape), error.getMessage());
        assertEquals(maybe, error.maybe());
    }

    @Test
    void theLineIsTheFields() {
        String json = GOOD.replace(",", ",\n").replace("1000", "0");
        assertEquals(
                "c.json, line 6: vocab_size = 0 is out of range: 1 to 1,000,000,000",
                assertThrows(UserError.class, () -> parse(json)).getMessage());
    }

    @Test
    void aModelThatNobodyHas() {
        String json = GOOD.replace(":64", ":10000000")
                .replace("layers':2", "layers':100000")
                .replace(":128", ":10000000");
        UserError error = assertThrows(UserError.class, () -> parse(json));
        assertTrue(error.getMessage().contains("more than any model"), error.getMessage());
    }

    @Test
    void architecturesSuggestAMissingType() {
        String json = GOOD.replace("'model_type':'llama'", "'architectures':['Qwen2ForCausalLM']");
        UserError error = assertThrows(UserError.class, () -> parse(json));
        assertEquals("c.json: field model_type is missing", error.getMessage());
        assertEquals("Maybe add \"model_type\": \"qwen2\"", error.maybe());
    }

    @Test
    void layerTypesMustBeAsManyAsLayers() {
        String json = GOOD.replace("llama", "olmo3").replace("'x':1", "'layer_types':['full_attention']");
        UserError error = assertThrows(UserError.class, () -> parse(json));
        assertEquals("c.json, line 1: layer_types = […] has 1 entries for 2 layers", error.getMessage());
    }

    @Test
    void deepNesting() {
        String json = GOOD.replace("'x':1", "'x':" + "[".repeat(2000) + "]".repeat(2000));
        UserError error = assertThrows(UserError.class, () -> parse(json));
        assertTrue(error.getMessage().contains("nested too deeply"), error.getMessage());
    }

    @Test
    void filesThatAreNoConfig(@TempDir Path folder) throws IOException {
        Path empty = Files.writeString(folder.resolve("empty.json"), " \n");
        Path binary = Files.write(folder.resolve("binary.json"), new byte[] {'{', 0, (byte) 0xff});
        Path large = Files.write(folder.resolve("large.json"), new byte[(10 << 20) + 1]);
        assertEquals(empty + " is empty", message(empty));
        assertEquals(binary + " is not a UTF-8 text file", message(binary));
        assertEquals(large + " has 10,485,761 bytes, a config.json has at most 10,485,760", message(large));
        assertEquals(folder + " is a directory, a config.json is needed", message(folder));
        assertEquals("there is no file " + folder.resolve("none.json"), message(folder.resolve("none.json")));
    }

    /** Whatever the bytes, the answer is sizes or a UserError, never another exception. */
    @Property(tries = 300)
    void anyBytes(@ForAll byte[] bytes) {
        assertThrows(UserError.class, () -> HuggingFaceConfig.parse("m", "c.json", bytes));
    }

    /** Nor when a good config loses any part of its tail, or has one character changed. */
    @Test
    void anyDamage() {
        for (int i = 1; i < GOOD.length(); i++) {
            String cut = GOOD.substring(0, i);
            assertThrows(UserError.class, () -> parse(cut));
            for (char c : "0x\"[{,-".toCharArray()) {
                String changed = GOOD.substring(0, i) + c + GOOD.substring(i + 1);
                try {
                    parse(changed);
                } catch (UserError e) {
                    assertTrue(e.maybe().startsWith("Maybe"));
                }
            }
        }
    }

    private static String message(Path file) {
        return assertThrows(UserError.class, () -> HuggingFaceConfig.read(file)).getMessage();
    }

    private static void parse(String json) {
        HuggingFaceConfig.parse("model", "c.json", json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
