package org.shardplan.read;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.units.ClosestNames;
import org.shardplan.units.UserError;

/**
 * Reads the {@code config.json} of a Hugging Face model: decoders, dense or with experts. A family's field names, its class defaults for
 * absent keys and its facts stand in one method each; {@link #types()} lists them.
 */
public final class HuggingFaceConfig {
    private static final Map<String, BiConsumer<ConfigFields, SizesDraft>> FAMILIES = new TreeMap<>(Map.ofEntries(
            Map.entry("llama", LlamaFamilies::llama),
            Map.entry("mistral", LlamaFamilies::mistral),
            Map.entry("granite", LlamaFamilies::granite),
            Map.entry("xverse", LlamaFamilies::xverse),
            Map.entry("exaone", LlamaFamilies::exaone),
            Map.entry("internlm", LlamaFamilies::internlm),
            Map.entry("internlm2", LlamaFamilies::internlm),
            Map.entry("baichuan", LlamaFamilies::baichuan),
            Map.entry("phi3", LlamaFamilies::phi3),
            Map.entry("glm", (config, draft) -> LlamaFamilies.glm(config, draft, false)),
            Map.entry("glm4", (config, draft) -> LlamaFamilies.glm(config, draft, true)),
            Map.entry("chatglm", ChatGlmFamily::chatGlm),
            Map.entry("qwen", QwenFamilies::qwen),
            Map.entry("qwen2", QwenFamilies::qwen2),
            Map.entry("qwen3", QwenFamilies::qwen3),
            Map.entry("gemma", GemmaFamilies::gemma),
            Map.entry("gemma2", GemmaFamilies::gemma2),
            Map.entry("gemma3_text", GemmaFamilies::gemma3Text),
            Map.entry("olmo", OlmoFamilies::olmo),
            Map.entry("olmo2", OlmoFamilies::olmo2),
            Map.entry("olmo3", OlmoFamilies::olmo3),
            Map.entry("phi", LayerNormFamilies::phi),
            Map.entry("stablelm", LayerNormFamilies::stablelm),
            Map.entry("starcoder2", LayerNormFamilies::starcoder2),
            Map.entry("nemotron", LayerNormFamilies::nemotron),
            Map.entry("cohere", LayerNormFamilies::cohere),
            Map.entry("gpt2", GptFamilies::gpt2),
            Map.entry("gpt_bigcode", GptFamilies::gptBigCode),
            Map.entry("gpt_neo", GptFamilies::gptNeo),
            Map.entry("gptj", GptFamilies::gptj),
            Map.entry("codegen", GptFamilies::gptj),
            Map.entry("gpt_neox", GptFamilies::gptNeoX),
            Map.entry("opt", GptFamilies::opt),
            Map.entry("bloom", FalconFamilies::bloom),
            Map.entry("mpt", FalconFamilies::mpt),
            Map.entry("falcon", FalconFamilies::falcon),
            Map.entry("RefinedWeb", FalconFamilies::falcon),
            Map.entry("RefinedWebModel", FalconFamilies::falcon)));

    /** Mixtures of experts. */
    private static final Map<String, BiConsumer<ConfigFields, SizesDraft>> EXPERTS = new TreeMap<>(Map.ofEntries(
            Map.entry("mixtral", ExpertFamilies::mixtral),
            Map.entry("phimoe", ExpertFamilies::phiMoe),
            Map.entry("granitemoe", ExpertFamilies::graniteMoe),
            Map.entry("granitemoeshared", ExpertFamilies::graniteMoe),
            Map.entry("olmoe", ExpertFamilies::olmoe),
            Map.entry("dbrx", ExpertFamilies::dbrx),
            Map.entry("gpt_oss", ExpertFamilies::gptOss),
            Map.entry("minimax_m2", ExpertFamilies::miniMaxM2),
            Map.entry("qwen2_moe", QwenFamilies::qwen2Moe),
            Map.entry("qwen3_moe", QwenFamilies::qwen3Moe),
            Map.entry("qwen3_next", LinearFamilies::qwen3Next),
            Map.entry("qwen3_5_text", LinearFamilies::qwen35),
            Map.entry("qwen3_5_moe_text", LinearFamilies::qwen35Moe),
            Map.entry("minimax", LinearFamilies::miniMax),
            Map.entry("minimax_text_01", LinearFamilies::miniMax),
            Map.entry("minimax_m1", LinearFamilies::miniMax),
            Map.entry("mamba", HybridFamilies::mamba),
            Map.entry("falcon_mamba", HybridFamilies::mamba),
            Map.entry("mamba2", HybridFamilies::mamba2),
            Map.entry("jamba", HybridFamilies::jamba),
            Map.entry("bamba", HybridFamilies::bamba),
            Map.entry("granitemoehybrid", HybridFamilies::graniteHybrid),
            Map.entry("nemotron_h", HybridFamilies::nemotronH),
            Map.entry("llama4_text", LaterFamilies::llama4),
            Map.entry("gemma4_text", LaterFamilies::gemma4),
            Map.entry("step3p5", LaterFamilies::step3),
            Map.entry("step3p7", LaterFamilies::step3),
            Map.entry("ernie4_5_moe", LaterFamilies::ernie),
            Map.entry("hunyuan_v1_moe", LaterFamilies::hunyuan),
            Map.entry("grok-1", LaterFamilies::grok1),
            Map.entry("nemotron-nas", LaterFamilies::nemotronNas),
            Map.entry("dots1", DeepSeekFamilies::dots),
            Map.entry("deepseek_v32", DeepSeekFamilies::sparse),
            Map.entry("glm_moe_dsa", DeepSeekFamilies::sparse),
            Map.entry("glm4_moe", DeepSeekFamilies::glm4Moe),
            Map.entry("deepseek_v2", DeepSeekFamilies::deepSeekV2),
            Map.entry("deepseek_v3", DeepSeekFamilies::deepSeekV3),
            Map.entry("kimi_k2", DeepSeekFamilies::deepSeekV3)));

    private HuggingFaceConfig() {}

    /**
     * What a config says.
     *
     * @param notes what was ignored or assumed, for the report
     */
    public record Read(TransformerSizes sizes, List<String> notes) {
        public Read {
            notes = List.copyOf(notes);
        }
    }

    /** What reads a type. */
    static Optional<BiConsumer<ConfigFields, SizesDraft>> family(String type) {
        return Stream.of(EXPERTS, FAMILIES, WiderFamilies.TYPES)
                .filter(kinds -> kinds.containsKey(type))
                .map(kinds -> kinds.get(type))
                .findFirst();
    }

    /** The model types that are read, in alphabetical order. */
    public static List<String> types() {
        return Stream.of(FAMILIES, EXPERTS, WiderFamilies.TYPES)
                .flatMap(kinds -> kinds.keySet().stream())
                .sorted()
                .toList();
    }

    /**
     * Reads a file. The model is named after it, or after its folder when it is called config.json.
     *
     * @throws UserError when it is not the config of a decoder; the message names file, line, field and value
     */
    public static Read read(Path file) {
        return parse(nameOf(file), file.toString(), content(file));
    }

    /** @throws UserError when there is no such file, or it is no file of a config's size */
    public static byte[] content(Path file) {
        return ConfigFile.bytes(file);
    }

    /**
     * Reads the content of a file.
     *
     * @param name of the model
     * @param file path for messages
     * @throws UserError as {@link #read}
     */
    public static Read parse(String name, String file, byte[] content) {
        ConfigFields config = ConfigFile.parse(file, content);
        String type = config.text("model_type").orElseThrow(() -> missingType(config));
        if (!WiderFamilies.TYPES.containsKey(type)) {
            RefusedTypes.check(type, config, EXPERTS.containsKey(type));
        }
        BiConsumer<ConfigFields, SizesDraft> family = family(type).orElse(null);
        if (family == null) {
            List<String> close = ClosestNames.of(type, types());
            throw config.error(
                    "model_type",
                    "is unknown",
                    close.isEmpty()
                            ? "Maybe it is a Llama under another name; these are known: " + String.join(", ", types())
                            : "Maybe " + String.join(" or ", close));
        }
        SizesDraft draft = new SizesDraft();
        family.accept(config, draft);
        TransformerSizes sizes = draft.finish(name, config);
        if (config.has("quantization_config")) {
            config.note("quantization_config is ignored: the precision of the run decides");
        }
        if (!sizes.tiedEmbeddings() && config.texts("architectures").stream().anyMatch(HuggingFaceConfig::headless)) {
            config.note("architectures names a model without a head: it is read with one");
        }
        return new Read(sizes, config.notes());
    }

    private static boolean headless(String architecture) {
        return architecture.endsWith("Model")
                && !architecture.endsWith("LMHeadModel")
                && !architecture.startsWith("ChatGLM");
    }

    private static UserError missingType(ConfigFields config) {
        List<String> classes = config.texts("architectures");
        if (classes.isEmpty()) {
            return config.missing("model_type");
        }
        String start = classes.getFirst().replace("ForCausalLM", "").replace("LMHeadModel", "");
        List<String> close = ClosestNames.of(start, types());
        return new UserError(
                config.file() + ": field model_type is missing",
                close.isEmpty()
                        ? "Maybe add it; architectures says " + classes.getFirst()
                        : "Maybe add \"model_type\": \"" + close.getFirst() + "\"");
    }

    /** What a model is called: its file's name, or its folder's when the file is called config.json. */
    public static String nameOf(Path file) {
        String name = String.valueOf(file.getFileName());
        Path folder = file.toAbsolutePath().normalize().getParent();
        if (name.equals("config.json") && folder != null && folder.getFileName() != null) {
            return folder.getFileName().toString();
        }
        return name.endsWith(".json") ? name.substring(0, name.length() - ".json".length()) : name;
    }
}
