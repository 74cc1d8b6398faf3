package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.report.Catalog;
import org.shardplan.search.Hybrid;
import org.shardplan.search.Method;

/** Lists what has a name: the catalogs. */
public final class CatalogJob {
    private CatalogJob() {}

    /** Columns: name, parameters, layers, hidden, heads, seq_len, source. */
    public static Catalog models() {
        List<List<Object>> rows = new ArrayList<>();
        for (ModelCatalog.Entry entry : ModelCatalog.list()) {
            rows.add(List.of(
                    entry.name(),
                    TransformerGraph.build(entry.sizes(), 1, 1).parameterElements(),
                    entry.sizes().layers(),
                    entry.sizes().hidden(),
                    entry.sizes().heads(),
                    entry.sizes().seqLen(),
                    entry.source()));
        }
        return new Catalog(
                "models",
                List.of("name", "parameters", "layers", "hidden", "heads", "seq_len", "source"),
                rows,
                List.of("or the path of a Hugging Face config.json"));
    }

    /** Columns: name, device, memory_bytes, node, links, source. */
    public static Catalog clusters() {
        List<List<Object>> rows = new ArrayList<>();
        for (ClusterCatalog.Entry entry : ClusterCatalog.entries()) {
            rows.add(List.of(
                    entry.name(),
                    entry.device().name(),
                    entry.device().memoryBytes(),
                    entry.unitDevices() + " a " + entry.unit(),
                    entry.note(),
                    entry.device().source()));
        }
        return new Catalog(
                "clusters",
                List.of("name", "device", "memory_bytes", "node", "links", "source"),
                rows,
                List.of("name:128 = 128 nodes (chips for TPUs), name/4 = part of a node, or the path of a YAML file"));
    }

    /** Columns: name, space, evaluator, optimality, source. */
    public static Catalog methods() {
        Method.Description hybrid = new Hybrid(1).description();
        return new Catalog(
                "methods",
                List.of("name", "space", "evaluator", "optimality", "source"),
                List.of(List.of(
                        hybrid.name(), hybrid.space(), hybrid.evaluator(), hybrid.optimality(), hybrid.source())),
                List.of());
    }

    /** Columns: name, default, title. */
    public static Catalog frameworks() {
        List<List<Object>> rows = new ArrayList<>();
        for (String name : FrameworkCatalog.names()) {
            rows.add(List.of(
                    name, name.equals(FrameworkCatalog.DEFAULT), FrameworkCatalog.get(name).title()));
        }
        return new Catalog("frameworks", List.of("name", "default", "title"), rows, List.of());
    }
}
