package org.shardplan.cli;

import java.util.concurrent.Callable;
import org.shardplan.job.DoctorJob;
import org.shardplan.report.CatalogReport;
import picocli.CommandLine.Command;

/** {@code shardplan doctor}. */
@Command(name = "doctor", description = "Says what is found and missing on this machine.")
final class DoctorCommand implements Callable<Integer> {
    private final Session session;

    DoctorCommand(Session session) {
        this.session = session;
    }

    @Override
    public Integer call() {
        session.out.print(CatalogReport.print(DoctorJob.run(), session.style()));
        return 0;
    }
}
