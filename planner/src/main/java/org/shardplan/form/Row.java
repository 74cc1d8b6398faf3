package org.shardplan.form;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * One measured training run: a line of a ROWS.csv. A blank cell is an empty text, an empty optional or NaN; what it stands for
 * is decided where the row is used, never here.
 *
 * @param file as the user named it
 * @param line of the file, from 1; the header is line 1
 * @param id unique in its file
 * @param source who published it
 * @param year of publication
 * @param task pretrain, sft, lora
 * @param model name as the source prints it
 * @param shape of the network
 * @param machine what it ran on
 * @param degrees how it was split
 * @param software what ran it
 * @param measured what came out
 * @param notes caveats
 * @param problem the first cell that can't be read, with its column and value
 */
public record Row(
        String file,
        int line,
        String id,
        String source,
        OptionalLong year,
        String task,
        String model,
        Shape shape,
        Machine machine,
        Degrees degrees,
        Software software,
        Measured measured,
        String notes,
        Optional<String> problem) {

    /** The same row of another source. */
    public Row of(String otherSource) {
        return new Row(
                file,
                line,
                id,
                otherSource,
                year,
                task,
                model,
                shape,
                machine,
                degrees,
                software,
                measured,
                notes,
                problem);
    }

    /**
     * The network.
     *
     * @param arch dense, moe, hybrid
     * @param gatedMlp yes or no: three MLP matrices instead of two
     * @param moeFfnHidden inner width of one expert
     * @param attentionWindow words or a number of tokens
     */
    public record Shape(
            String arch,
            OptionalLong layers,
            OptionalLong hidden,
            OptionalLong ffnHidden,
            String gatedMlp,
            OptionalLong heads,
            OptionalLong kvHeads,
            OptionalLong vocab,
            OptionalLong seqLen,
            OptionalLong experts,
            OptionalLong topk,
            OptionalLong moeFfnHidden,
            OptionalLong mtpLayers,
            String attentionWindow) {}

    /**
     * The cluster.
     *
     * @param gpu canonical device name
     * @param interconnect the source's words
     * @param cluster name, where it has one
     */
    public record Machine(
            String gpu,
            OptionalLong gpus,
            OptionalLong gpusPerNode,
            String interconnect,
            String cluster,
            String precision) {}

    /** How the network and the batch were split. */
    public record Degrees(
            OptionalLong tp,
            OptionalLong pp,
            OptionalLong vpp,
            OptionalLong dp,
            OptionalLong cp,
            OptionalLong ep,
            OptionalLong etp,
            String sequenceParallel,
            OptionalLong zeroStage,
            OptionalLong microBatch,
            OptionalLong globalBatch,
            OptionalLong firstStageLayers,
            OptionalLong lastStageLayers,
            String vocabInPipeline) {}

    /**
     * The framework and what it was told.
     *
     * @param recomputeNote the source's words on what it recomputes
     * @param compile compiled or eager, where the framework can do both
     * @param switches what was switched on or off
     */
    public record Software(
            String framework,
            String family,
            String release,
            String recompute,
            String recomputeLayers,
            String recomputeModules,
            String recomputeNote,
            String compile,
            String attention,
            String schedule,
            String gradDtype,
            String offload,
            Switches switches) {}

    /**
     * What was switched on or off, empty where the source doesn't say.
     *
     * @param cudaGraph none, partial or full
     * @param dispatcher of tokens to experts: alltoall, deepep, hybridep
     * @param exchangeOverlap yes or no: that beside another micro-batch's compute
     * @param tensorOverlap yes or no: tensor-parallel collectives beside products
     */
    public record Switches(String cudaGraph, String dispatcher, String exchangeOverlap, String tensorOverlap) {}

    /**
     * The result.
     *
     * @param outcome ran, or oom: it was tried and did not fit
     * @param stepSeconds NaN where none is given
     * @param stepFrom measured, tokens, tflops, derived
     * @param memoryGib NaN where none is given; its kind differs by source
     */
    public record Measured(String outcome, double stepSeconds, String stepFrom, double memoryGib, String provenance) {}
}
