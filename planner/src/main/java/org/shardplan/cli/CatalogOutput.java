package org.shardplan.cli;

import org.jspecify.annotations.Nullable;
import org.shardplan.report.Catalog;
import org.shardplan.report.CatalogReport;

/** A catalog to stdout, to a file, or both. */
final class CatalogOutput {
    private CatalogOutput() {}

    static int write(Catalog catalog, @Nullable String json, Session session) {
        FileOutput file = Outputs.file("--json", json);
        if ("-".equals(json)) {
            Outputs.print(session, out -> CatalogReport.write(catalog, out));
        } else {
            session.out.print(CatalogReport.print(catalog, session.style()));
        }
        if (file != null) {
            file.write(out -> CatalogReport.write(catalog, out));
            session.say("wrote " + file);
        }
        return 0;
    }
}
