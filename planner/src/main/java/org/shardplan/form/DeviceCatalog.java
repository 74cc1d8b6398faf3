package org.shardplan.form;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.shardplan.cluster.Device;
import org.shardplan.units.UserError;

/** The devices that have a name: resource files {@code devices/*.yaml}. */
public final class DeviceCatalog {
    private static final Catalog FILES = new Catalog("devices");
    private static final ConcurrentHashMap<String, Device> READ = new ConcurrentHashMap<>();

    private DeviceCatalog() {}

    /** Canonical names, families together, oldest first. */
    public static List<String> names() {
        return FILES.names();
    }

    /**
     * The device of a name.
     *
     * @throws UserError when there is none; names the closest
     */
    public static Device get(String name) {
        return get(name, "device");
    }

    /** As {@link #get(String)}; {@code where} (file, line, field) begins the message. */
    static Device get(String name, String where) {
        if (!names().contains(name)) {
            throw new UserError(
                    where + ": there is no device \"" + name + "\" in the catalog",
                    "Maybe "
                            + FILES.meant(name).stream().findFirst().orElse("one of " + String.join(", ", names()))
                            + ", or describe it: memory, memory-bandwidth, multiprocessors, peak.");
        }
        return READ.computeIfAbsent(
                name, key -> DeviceFile.read(Fields.file(FILES.text(key), FILES.file(key), "shardplan.device")));
    }
}
