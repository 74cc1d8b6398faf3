package org.shardplan.form;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.graph.DataType;
import org.shardplan.units.UserError;
import org.shardplan.workload.Framework;

/** The framework generations that have a name: resource files {@code frameworks/*.yaml}. */
public final class FrameworkCatalog {
    /** What is assumed when nobody names one. */
    public static final String DEFAULT = "megatron-core";

    private static final Catalog FILES = new Catalog("frameworks");
    private static final ConcurrentHashMap<Key, Framework> READ = new ConcurrentHashMap<>();

    private record Key(String name, DataType precision) {}

    private FrameworkCatalog() {}

    /** Names, the default first. */
    public static List<String> names() {
        return FILES.names();
    }

    /** The framework of a name under bf16, the default precision. */
    public static Framework get(String name) {
        return get(name, DataType.BF16);
    }

    /**
     * The framework of a name.
     *
     * @param precision under which it runs: some keep wider gradients in bf16
     * @throws UserError when there is none; names the closest
     */
    public static Framework get(String name, DataType precision) {
        if (!names().contains(name)) {
            throw new UserError(
                    "framework \"" + name + "\" is not in the catalog",
                    "Maybe "
                            + FILES.meant(name).stream().findFirst().orElse("one of " + String.join(", ", names()))
                            + ".");
        }
        return READ.computeIfAbsent(
                new Key(name, precision), _ -> FrameworkFile.read(FILES.text(name), FILES.file(name), precision));
    }
}
