package org.shardplan.job;

import java.util.ArrayList;
import java.util.List;
import org.shardplan.form.ClusterCatalog;
import org.shardplan.form.FrameworkCatalog;
import org.shardplan.form.ModelCatalog;
import org.shardplan.graph.OperatorGraph;
import org.shardplan.graph.TransformerGraph;
import org.shardplan.graph.TransformerSizes;
import org.shardplan.report.Catalog;
import org.shardplan.search.Hybrid;
import org.shardplan.search.Method;
import org.shardplan.workload.Framework;

/** Lists what has a name: the catalogs. */
public final class CatalogJob {
    private CatalogJob() {}

    /** Columns: name, parameters, active_parameters (those that a token meets), layers, hidden, heads, kv_heads, vocab, seq_len, source. */
    public static Catalog models() {
        List<List<Object>> rows = new ArrayList<>();
        for (ModelCatalog.Entry entry : ModelCatalog.list()) {
            TransformerSizes sizes = entry.sizes();
            OperatorGraph graph = TransformerGraph.build(sizes, sizes.seqLen(), 1);
            rows.add(List.of(
                    entry.name(),
                    graph.parameterElements(),
                    graph.activeParameterElements(),
                    sizes.layers(),
                    sizes.hidden(),
                    sizes.heads(),
                    sizes.kvHeads(),
                    sizes.vocab(),
                    sizes.seqLen(),
                    entry.source()));
        }
        return new Catalog(
                "models",
                List.of(
                        "name",
                        "parameters",
                        "active_parameters",
                        "layers",
                        "hidden",
                        "heads",
                        "kv_heads",
                        "vocab",
                        "seq_len",
                        "source"),
                rows,
                List.of());
    }

    /** Columns: name, device, devices, unit, memory_bytes, note. */
    public static Catalog clusters() {
        List<List<Object>> rows = new ArrayList<>();
        for (ClusterCatalog.Entry entry : ClusterCatalog.entries()) {
            rows.add(List.of(
                    entry.name(),
                    entry.device().name(),
                    entry.unitDevices(),
                    entry.unit(),
                    entry.device().memoryBytes(),
                    entry.note()));
        }
        return new Catalog(
                "clusters",
                List.of("name", "device", "devices", "unit", "memory_bytes", "note"),
                rows,
                List.of("Name a count with it: dgx-h100:8 is 8 nodes, dgx-h100/4 is 4 devices of one."));
    }

    /** Columns: name, space, evaluator, optimality, source. */
    public static Catalog methods() {
        List<List<Object>> rows = new ArrayList<>();
        for (Method method : List.of(new Hybrid(1))) {
            Method.Description about = method.description();
            rows.add(List.of(about.name(), about.space(), about.evaluator(), about.optimality(), about.source()));
        }
        return new Catalog("methods", List.of("name", "space", "evaluator", "optimality", "source"), rows, List.of());
    }

    /** Columns: name, default, title. */
    public static Catalog frameworks() {
        List<List<Object>> rows = new ArrayList<>();
        for (String name : FrameworkCatalog.names()) {
            Framework framework = FrameworkCatalog.get(name);
            rows.add(List.of(name, name.equals(FrameworkCatalog.DEFAULT), framework.title()));
        }
        return new Catalog("frameworks", List.of("name", "default", "title"), rows, List.of());
    }
}
