package org.shardplan.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.Checkout;

/** FEATURE UNDER TEST: each mistake is one message with file, field and value, a line that may help, and status 2. */
final class A02_BadInputTest {
    private static final String CONFIG = """
            {
              "model_type": "llama",
              "hidden_size": 512,
              "intermediate_size": 1376,
              "num_hidden_layers": 4,
              "num_attention_heads": 8,
              "max_position_embeddings": 2048,
              "vocab_size": 32000
            }
            """;

    private static final String CLUSTER = """
            format: shardplan.cluster/1
            name: two
            device: a100-sxm-80gb
            devices: 8
            levels:
              - name: nvlink
                devices: 8
                one-way: 300GB/s
                latency: 2us
            """;

    private static final String ROWS = """
            id,gpu,gpus,precision,global_batch,seq_len,layers,hidden,heads,vocab,step_seconds
            r1,A100-SXM-80GB,8,bf16,8,1024,4,512,8,32000,1.0
            """;

    @TempDir
    private Path folder;

    private Run plan(String model, String cluster) {
        return Run.of("plan", model, "--cluster", cluster, "--global-batch", "8");
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    /** An edit of a good config, and what the message must name. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"llama\"                   | \"rwkv\"         | rwkv",
                "\"llama\"                   | \"lama\"         | lama",
                "\"hidden_size\": 512,       | ''               | hidden_size",
                "\"num_attention_heads\": 8  | \"num_attention_heads\": 7 | num_attention_heads",
                "\"hidden_size\": 512        | \"hidden_size\": 0         | hidden_size",
                "\"hidden_size\": 512        | \"hidden_size\": -512      | -512",
                "\"hidden_size\": 512        | \"hidden_size\": 512e12    | hidden_size",
                "\"hidden_size\": 512        | \"hidden_size\": NaN       | config.json",
                "\"hidden_size\": 512        | \"hidden_size\": \"512\"   | hidden_size",
                "\"num_hidden_layers\": 4    | \"num_hidden_layers\": 99999999 | num_hidden_layers",
                "\"vocab_size\": 32000\\n}   | \"vocab_si      | config.json"
            })
    void configs(String good, String bad, String names) throws IOException {
        Path config = file("config.json", edited(CONFIG, good, bad));
        Run run = plan(config.toString(), "dgx-a100-80gb:1");
        run.assertMistake();
        assertTrue(run.err().contains("config.json"), run.err());
        assertTrue(run.err().contains(names), run.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: two                          | name: &x two                  | anchor",
                "name: two                          | name: !!str two               | tag",
                "devices: 8\\nlevels                | devices: eight\\nlevels         | devices",
                "devices: 8\\nlevels                | devices: 0\\nlevels             | devices",
                "devices: 8\\nlevels                | devices: .nan\\nlevels          | devices",
                "device: a100-sxm-80gb              | device: a1000                 | a1000",
                "one-way: 300GB/s                   | one-way: 300                  | one-way",
                "one-way: 300GB/s                   | bandwidth: 300GB/s            | bandwidth",
                "one-way: 300GB/s                   | one-way: NaN                  | one-way",
                "latency: 2us                       | latency: -2us                 | latency",
                "format: shardplan.cluster/1        | format: shardplan.cluster/7   | format",
                "levels:                            | level:                        | level"
            })
    void clusters(String good, String bad, String names) throws IOException {
        Path cluster = file("cluster.yaml", edited(CLUSTER, good, bad));
        Run run = plan("gpt-tiny", cluster.toString());
        run.assertMistake();
        assertTrue(run.err().contains("cluster.yaml"), run.err());
        assertTrue(run.err().contains(names), run.err());
    }

    @Test
    void aClusterWithoutLinks() throws IOException {
        String links = CLUSTER.substring(CLUSTER.indexOf("levels:"));
        Path cluster = file("cluster.yaml", CLUSTER.replace(links, ""));
        plan("gpt-tiny", cluster.toString()).assertMistake();
    }

    @Test
    void theGoodFilesAreGood() throws IOException {
        Path config = file("config.json", CONFIG);
        Path cluster = file("cluster.yaml", CLUSTER);
        Path rows = file("rows.csv", ROWS);
        Run simulated = Run.line(
                "simulate " + config + " --cluster " + cluster + " --global-batch 8 --seq-len 128 --plan tp=8");
        assertTrue(simulated.status() == 0, simulated.err());
        Run validated = Run.line("validate " + rows);
        assertTrue(validated.status() == 0, validated.err());
    }

    @ParameterizedTest
    @CsvSource({"gpus,chips", "'vocab,',"})
    void rowsWithoutAColumn(String column, String other) throws IOException {
        Path rows = file("rows.csv", ROWS.replaceFirst(column, other == null ? "" : other));
        Run run = Run.line("validate " + rows);
        run.assertMistake();
        assertTrue(run.err().contains(column.replace(",", "")), run.err());
    }

    /** Words on the command line, and what the message must name. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plan meta-llama/Llama-3-8B --cluster dgx-h100:1 --global-batch 8             | Hugging Face",
                "plan gpt-tinny --cluster dgx-h100:1 --global-batch 8                         | gpt-tiny",
                "plan gpt-tiny --cluster dgx-h1000:1 --global-batch 8                         | dgx-h100",
                "plan gpt-tiny --cluster dgx-h100:0 --global-batch 8                          | dgx-h100:0",
                "plan gpt-tiny --cluster dgx-h100:-1 --global-batch 8                         | dgx-h100:-1",
                "plan gpt-tiny --cluster dgx-h100/9 --global-batch 8                          | dgx-h100/9",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 0                          | --global-batch 0",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch NaN                        | NaN",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 1e99                       | 1e99",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --precision bf17         | bf17",
                "plan gpt-tiny --cluster dgx-v100:1 --global-batch 8 --precision bf16         | v100",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --framework megatron     | megatron",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --optimizer adamant      | adamant",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --memory-margin 5        | --memory-margin",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --memory-margin 101%     | 101%",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --at-most step=25        | step",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --at-most memory=NaN     | memory",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --at-most weight=3kg     | weight",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --objective cost         | cost",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --method magic           | magic",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --budget 10              | --budget",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --seq-len 100000         | 100000",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --seq-len x              | 'x' is not a whole number",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 9e18                       | too large",
                "plan llama3-70b --cluster dgx-h100:1 --global-batch 1e6 --seq-len 16777216   | years",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --top 1000000            | at most 1000",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --budget 1e9s            | 100 days",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --at-most step=1s,step=2s | twice",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --fix tp=3               | tp=3",
                "plan gpt-tiny --cluster dgx-h100:1 --global-batch 8 --fix tq=3               | tq",
                "simulate gpt-tiny --cluster dgx-h100:1 --global-batch 8 --plan tp=3          | 3·1 = 3",
                "simulate gpt-tiny --cluster dgx-h100:1 --global-batch 8 --plan pp=3          | pp = 1·3",
                "simulate gpt-tiny --cluster dgx-h100:1 --global-batch 9 --plan tp=2          | global batch 9",
                "simulate nowhere.json                                                        | nowhere.json",
                "explain nowhere.json                                                         | nowhere.json",
                "validate nowhere.csv                                                         | nowhere.csv"
            })
    void words(String line, String names) {
        Run run = Run.line(line);
        run.assertMistake();
        assertTrue(run.err().contains(names), run.err());
    }

    @Test
    void aConfigIsNoPlanAndAPlanIsNoModel() throws IOException {
        Path config = Checkout.root().resolve("examples/gpt2/config.json");
        Run run = Run.of("simulate", config.toString());
        run.assertMistake();
        assertTrue(run.err().contains("--plan"), run.err());
        Path plan = file("plan.json", "{\"format\": \"shardplan.plan/1\"}");
        plan(plan.toString(), "dgx-h100:1").assertMistake();
        Run.of("explain", plan.toString()).assertMistake();
        Run truncated = Run.of(
                "explain",
                file("cut.json", "{\"format\": \"shardplan.plan/1\", ").toString());
        truncated.assertMistake();
        assertTrue(truncated.err().contains("not JSON"), truncated.err());
    }

    private static String edited(String text, String good, String bad) {
        String from = good.replace("\\n", "\n");
        assertTrue(text.contains(from), good);
        return text.replace(from, bad == null ? "" : bad.replace("\\n", "\n"));
    }
}
