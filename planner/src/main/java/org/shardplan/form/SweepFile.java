package org.shardplan.form;

import java.nio.file.Path;
import java.util.List;

/**
 * What is to be compared ({@code shardplan.sweep/1}, YAML): every model on every cluster, with every global batch, for every number of
 * tokens. All words are those of the options of {@code plan}; {@code examples/sweep/cheapest.yaml} explains each key.
 *
 * @param models catalog names or files
 * @param clusters words behind {@code --cluster}
 * @param globalBatches words behind {@code --global-batch}
 * @param tokens words behind {@code --tokens}
 * @param options of every case, by their names without dashes; absent = not given
 */
public record SweepFile(
        List<String> models, List<String> clusters, List<String> globalBatches, List<String> tokens, Options options) {

    /** Empty texts and a length of 0 mean not given. */
    public record Options(
            long seqLen,
            String precision,
            String optimizer,
            String framework,
            String objective,
            String atMost,
            String fix,
            String budget) {}

    /** @throws org.shardplan.units.UserError with file, line, key and value */
    public static SweepFile read(Path path) {
        Fields fields = Fields.file(YamlTree.text(path), path.toString(), "shardplan.sweep");
        SweepFile file = new SweepFile(
                fields.texts("models"),
                fields.texts("clusters"),
                fields.texts("global-batch"),
                fields.texts("tokens"),
                new Options(
                        fields.countOr("seq-len", 1, 1 << 24, 0),
                        fields.textOr("precision", ""),
                        fields.textOr("optimizer", ""),
                        fields.textOr("framework", ""),
                        fields.textOr("objective", ""),
                        fields.textOr("at-most", ""),
                        fields.textOr("fix", ""),
                        fields.textOr("budget", "")));
        fields.done();
        return file;
    }
}
