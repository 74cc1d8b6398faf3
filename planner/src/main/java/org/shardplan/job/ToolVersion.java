package org.shardplan.job;

/** Name and version of this tool, as results record it. */
public final class ToolVersion {
    private ToolVersion() {}

    /** For example {@code shardplan 0.1.0}; {@code shardplan development} where the classes do not come from a jar. */
    public static String text() {
        String version = ToolVersion.class.getPackage().getImplementationVersion();
        return "shardplan " + (version == null ? "development" : version);
    }
}
