package org.shardplan.form;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.units.UserError;
import org.shardplan.workload.Framework;

/** The framework generations that have a name: resource files {@code frameworks/*.yaml}. */
public final class FrameworkCatalog {
    /** What is assumed when nobody names one. */
    public static final String DEFAULT = "megatron-core";

    private static final Catalog FILES = new Catalog("frameworks");
    private static final ConcurrentHashMap<String, Framework> READ = new ConcurrentHashMap<>();

    private FrameworkCatalog() {}

    /** Names, the default first. */
    public static List<String> names() {
        return FILES.names();
    }

    /**
     * The framework of a name.
     *
     * @throws UserError when there is none; names the closest
     */
    public static Framework get(String name) {
        if (!names().contains(name)) {
            throw new UserError(
                    "framework \"" + name + "\" is not in the catalog",
                    "Maybe "
                            + FILES.meant(name).stream().findFirst().orElse("one of " + String.join(", ", names()))
                            + ".");
        }
        return READ.computeIfAbsent(name, key -> FrameworkFile.read(FILES.text(key), FILES.file(key)));
    }
}
