package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardplan.Checkout;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.Row;
import org.shardplan.form.RowsFile;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.Legality;
import org.shardplan.plan.PlanText;
import org.shardplan.plan.Verdict;

/** Measured rows as plans: what is read into them, what is assumed, what is skipped and why. */
class A10_RowJobTest {
    @TempDir
    Path folder;

    /** A row of GPT 175B on 8 nodes of Selene, with some cells changed. */
    private Row row(String changes) throws IOException {
        Map<String, String> cells = new LinkedHashMap<>();
        String usual = "id=r1 source=s year=2022 gpu=a100-sxm-80gb gpus=64 precision=fp16 global_batch=64 seq_len=2048"
                + " layers=96 hidden=12288 heads=96 vocab=51200 tp=8 pp=8 micro_batch=1 zero_stage=0 recompute=full"
                + " gated_mlp=no framework_family=megatron-lm step_seconds=18.13 ";
        for (String cell : (usual + changes).split(" +")) {
            String[] parts = cell.split("=", 2);
            cells.put(parts[0], parts[1]);
        }
        Path file = folder.resolve("rows.csv");
        Files.writeString(
                file,
                String.join(",", cells.keySet()) + "\n"
                        + cells.values().stream()
                                .map(cell -> "\"" + cell + "\"")
                                .collect(Collectors.joining(",")) + "\n");
        return RowsFile.read(file, name -> false).getFirst();
    }

    private static String print(RowCase of) {
        return switch (of) {
            case RowCase.Skipped(Row row, String reason) -> "skipped: " + reason;
            case RowCase.Ready ready ->
                ready.framework() + " " + PlanText.print(ready.plan()) + " on "
                        + ready.cluster().name() + " (" + ready.clusterRule() + ")"
                        + (ready.assumed().isEmpty() ? "" : " assumed " + ready.assumed());
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "cluster=selene; megatron-lm-2022 tp=8,pp=8,dp=1,mb=1,recompute=full on selene:8 (cluster selene of the"
                        + " catalog)",
                "cluster=nowhere; megatron-lm-2022 tp=8,pp=8,dp=1,mb=1,recompute=full on dgx-a100-80gb:8 (reference node"
                        + " of a100-sxm-80gb: dgx-a100-80gb)",
                "interconnect=HDR(selene); megatron-lm-2022 tp=8,pp=8,dp=1,mb=1,recompute=full on selene:8 (interconnect:"
                        + " Selene: 8 HDR200 InfiniBand ports a DGX A100)",
                "year=2021 vpp=3 schedule=interleaved cluster=selene; megatron-lm-2021"
                        + " tp=8,pp=8,vpp=3,dp=1,mb=1,recompute=full on selene:8 (cluster selene of the catalog)",
                "year=2026 recompute= sequence_parallel=yes cluster=selene; megatron-core tp=8,pp=8,dp=1,mb=1,sp on"
                        + " selene:8 (cluster selene of the catalog) assumed [recompute none]",
                "framework_family=megatron-deepspeed zero_stage= cluster=jean-zay; megatron-deepspeed"
                        + " tp=8,pp=8,dp=1,mb=1,zero=1,recompute=full on jean-zay:8 (cluster jean-zay of the catalog)"
                        + " assumed [zero_stage 1]",
                "framework_family=deepspeed year=2021 tp=1 pp=1 zero_stage=3 cluster=selene; deepspeed-zero3-2021"
                        + " tp=1,pp=1,dp=64,mb=1,zero=3,recompute=full on selene:8 (cluster selene of the catalog)",
                "framework_family= framework=Megatron-DeepSpeed cluster=selene; megatron-deepspeed"
                        + " tp=8,pp=8,dp=1,mb=1,recompute=full on selene:8 (cluster selene of the catalog)",
                "gpus=4 tp=4 pp=1 cluster=selene; megatron-lm-2022 tp=4,pp=1,dp=1,mb=1,recompute=full on selene/4"
                        + " (cluster selene of the catalog)",
                "first_stage_layers=9 last_stage_layers=9 cluster=selene; megatron-lm-2022"
                        + " tp=8,pp=8,dp=1,mb=1,recompute=full,layout=Et*9|(t*13|)*6t*9L on selene:8 (cluster selene of the"
                        + " catalog)",
                "layers= model=gpt3-175b cluster=selene; megatron-lm-2022 tp=8,pp=8,dp=1,mb=1,recompute=full on selene:8"
                        + " (cluster selene of the catalog)"
            })
    void ready(String changes, String expected) throws IOException {
        assertEquals(expected, print(RowJob.of(row(changes))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "gpus=63; gpus 63 are not a multiple of tp·pp = 8·8",
                "dp=2; contradiction: tp·pp·dp = 8·8·2 is not gpus = 64",
                "global_batch=63 gpus=128; contradiction: global_batch 63 is not a multiple of dp·micro_batch = 2·1",
                "layers=0; layers is 0, which no run has",
                "hidden=999999999; hidden is 999999999, which no run has",
                "heads=95; hidden 12288 is not a multiple of heads 95",
                "kv_heads=7; heads 96 are not a multiple of kv_heads 7",
                "gpus=; gpus is blank",
                "gpus=NaN; line 2: gpus is \"NaN\", not a whole number",
                "precision=; precision is blank",
                "precision=int8; precision int8 comes with a later issue",
                "precision=bf17; precision \"bf17\" is not known",
                "gpu=abacus; gpu \"abacus\" is not in the catalog",
                "experts=8; topk is blank",
                "experts=8 topk=9; topk is 9, which no run has",
                "ep=8; experts are blank, and ep is more than 1",
                "arch=moe; experts are blank, and arch is moe",
                "arch=moe model=DeepSeek-V3 experts=64 topk=8; contradiction: DeepSeek-V3 has 8 of 256 experts, hidden 7168,"
                        + " and the row says 8 of 64, 12288",
                "arch=hybrid; arch hybrid comes with a later issue",
                "cp=2; gpus 64 are not a multiple of tp·pp·cp = 8·8·2",
                "cp=2 pp=4; cp 2, and megatron-lm-2022 has no context parallelism",
                "task=qlora; task is \"qlora\", none of pretrain, sft, lora",
                "framework_family=paxml framework_release=1.4; framework paxml 1.4 comes with a later issue",
                "year=; framework megatron-lm without a year is no generation",
                "schedule=dualpipe; schedule dualpipe comes with a later issue",
                "schedule=interleaved; schedule is interleaved, and vpp is blank",
                "recompute=some; recompute is \"some\", none of none, selective, full",
                "recompute=selective recompute_modules=mpl; recompute_modules has mpl, which is not known",
                "zero_stage=4; zero_stage is 4, and ZeRO has stages 0 to 3",
                "gated_mlp=perhaps; gated_mlp is \"perhaps\", neither yes nor no",
                "outcome=crashed; outcome is \"crashed\", neither ran nor oom",
                "layers= model=nothing; layers, hidden, heads or vocab is blank, and the catalog has no model \"nothing\"",
                "first_stage_layers=90; contradiction: first_stage_layers 90 and last_stage_layers 12 leave -6 of 96"
                        + " layers to 6 stages"
            })
    void skipped(String changes, String reason) throws IOException {
        assertEquals("skipped: " + reason, print(RowJob.of(row(changes))));
    }

    @Test
    void familiesFollowTheMlp() throws IOException {
        TransformerSizes gpt = ((RowCase.Ready) RowJob.of(row("cluster=selene"))).sizes();
        assertEquals(TransformerSizes.Positions.LEARNED, gpt.positions());
        assertEquals(49152, gpt.ffn());
        assertTrue(gpt.dropout() && gpt.tiedEmbeddings());
        RowCase.Ready llama =
                (RowCase.Ready) RowJob.of(row("gated_mlp=yes ffn_hidden=28672 year=2024 grad_dtype=fp32"));
        assertEquals(TransformerSizes.Norm.RMS_NORM, llama.sizes().norm());
        assertEquals(TransformerSizes.Bias.NONE, llama.sizes().bias());
        assertEquals(4, llama.gradientBytes().getAsInt());
        TransformerSizes bloom = ((RowCase.Ready) RowJob.of(row("model=BLOOM-176B"))).sizes();
        assertTrue(bloom.positions() == TransformerSizes.Positions.ALIBI && bloom.dropout());
    }

    /** Every row of Megatron's own family can be predicted, except those that need what comes later. */
    @Test
    void ourLedger() throws IOException {
        Map<String, String> expected = Map.of(
                "bigscience-bloom-a100.csv", "91 of 91",
                "bigscience-v100.csv", "45 of 53",
                "llm-foundry.csv", "157 of 157",
                "torchtitan.csv", "25 of 25",
                "ultrascale-nanotron.csv", "22 of 22",
                "megatron-korthikanti2022.csv", "9 of 9",
                "megatron-mtnlg530b.csv", "3 of 3",
                "megatron-sc21.csv", "22 of 22",
                "simumax.csv", "26 of 26",
                "vtrain-megatron-deepspeed.csv", "83 of 83");
        Map<String, String> found = new LinkedHashMap<>();
        for (String file : expected.keySet()) {
            List<RowCase> cases =
                    RowsFile.read(Checkout.root().resolve("bench/rows").resolve(file), name -> false).stream()
                            .map(RowJob::of)
                            .toList();
            long ready = cases.stream().filter(RowCase.Ready.class::isInstance).count();
            cases.forEach(A10_RowJobTest::assertLegal);
            found.put(file, ready + " of " + cases.size());
        }
        assertEquals(expected, found);
    }

    @Test
    void everyRowOfTheWholeLedgerIsReadyOrHasAReason() throws IOException {
        Path ledger = Checkout.root().resolve("../shared/groundtruth");
        assumeTrue(Files.isDirectory(ledger), "no ../shared");
        try (Stream<Path> files =
                Files.list(ledger).filter(file -> file.toString().endsWith(".csv"))) {
            for (Path file : files.toList()) {
                for (Row row : RowsFile.read(file, name -> false)) {
                    assertInstanceOf(RowCase.class, RowJob.of(row), row.id());
                }
            }
        }
    }

    /** What ran was legal: no rule refuses a run that was measured. */
    private static void assertLegal(RowCase of) {
        if (of instanceof RowCase.Ready ready) {
            OperatorGraph graph =
                    TransformerGraph.build(ready.sizes(), ready.workload().seqLen(), 1);
            Verdict verdict = Legality.check(
                    ready.plan(), graph, ready.workload(), ready.cluster(), FrameworkCatalog.get(ready.framework()));
            assertEquals(Verdict.OK, verdict, of.row().id());
        }
    }
}
