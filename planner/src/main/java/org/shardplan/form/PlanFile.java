package org.shardplan.form;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.shardplan.cluster.Cluster;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.plan.Plan;
import org.shardplan.workload.Workload;

/**
 * A {@code plan.json} ({@code shardplan.plan/1}): a plan with all that it was made for, both directions. The plan is kept in
 * full (mesh, placements, stages); its short form stands beside it.
 *
 * @param tool that wrote it
 * @param modelSource where the model's sizes came from
 * @param modelHash of that source
 * @param sizes the model
 * @param cluster in full
 * @param workload what is trained
 * @param framework name of the generation that is to run it
 * @param memoryMargin share of the capacity that is to stay free
 * @param plan in full
 */
public record PlanFile(
        String tool,
        String modelSource,
        String modelHash,
        TransformerSizes sizes,
        Cluster cluster,
        Workload workload,
        String framework,
        double memoryMargin,
        Plan plan) {
    public static final String FORMAT = "shardplan.plan";

    /** Writes the prediction: one JSON object, as in the result document. */
    public interface PredictionWriter {
        void write(JsonGenerator json) throws IOException;
    }

    /** Writes the file with a line break at its end; leaves {@code out} open. */
    public void write(OutputStream out, PredictionWriter prediction) throws IOException {
        PlanFileWriter.write(this, out, prediction);
    }

    /**
     * Reads a file; the prediction in it is not read, it is to be made anew.
     *
     * @throws org.shardplan.units.UserError with file, line, field and value
     */
    public static PlanFile read(Path path) {
        return PlanFileReader.read(YamlTree.text(path), path.toString());
    }
}
