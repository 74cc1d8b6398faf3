package org.shardplan.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardplan.report.ValidationRow;
import org.shardplan.search.SearchObserver;

/** FEATURE UNDER TEST: rows that a prediction can't tell apart share one, and rows that it can do not. */
final class A16_RowPredictionsTest {
    private static final String HEADER = "id,gpu,gpus,precision,global_batch,seq_len,layers,hidden,heads,vocab,tp,"
            + "micro_batch,recompute,attention,grad_dtype,framework_family,step_seconds\n";

    @TempDir
    private Path folder;

    private List<ValidationRow> rows(String lines) throws IOException {
        Path file = Files.writeString(folder.resolve("rows.csv"), HEADER + lines);
        return ValidateJob.run(new ValidateRequest(List.of(file.toString())), SearchObserver.NONE)
                .validation()
                .rows();
    }

    @Test
    void whatDiffersInTheMeasurementAloneIsPredictedAlike() throws IOException {
        String run = ",a100-sxm-80gb,8,bf16,64,2048,24,2048,16,50304,8,1,none,flash,fp32,megatron-core,";
        List<ValidationRow> rows = rows("a" + run + "1.0\nb" + run + "2.0\n");
        assertEquals(rows.get(0).predictedStepSeconds(), rows.get(1).predictedStepSeconds());
        assertEquals(1.0, rows.get(0).measuredStepSeconds());
        assertEquals(2.0, rows.get(1).measuredStepSeconds());
        assertEquals("b", rows.get(1).id());
    }

    @Test
    void eachColumnThatAPredictionReadsTellsRowsApart() throws IOException {
        String common = ",a100-sxm-80gb,8,bf16,64,2048,24,2048,16,50304,8,";
        List<ValidationRow> rows = rows("a" + common + "1,none,flash,fp32,megatron-core,1\n"
                + "b" + common + "2,none,flash,fp32,megatron-core,1\n"
                + "c" + common + "1,full,flash,fp32,megatron-core,1\n"
                + "d" + common + "1,none,standard,fp32,megatron-core,1\n");
        assertEquals(
                4,
                rows.stream()
                        .map(ValidationRow::predictedStepSeconds)
                        .distinct()
                        .count());
    }
}
