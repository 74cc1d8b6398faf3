package org.shardplan.job;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.shardplan.form.PlanFile;
import org.shardplan.plan.Plan;
import org.shardplan.plan.PlanRules;
import org.shardplan.plan.Shorthand;
import org.shardplan.units.UserError;

/**
 * A plan of the user's and what it is for: a {@code plan.json}.
 *
 * @param setting what it was made for
 * @param plan its short form; the full form has been found to agree
 */
record GivenPlan(Setting setting, Shorthand plan) {
    private static final int HEAD_BYTES = 4096;

    /** Whether there is such a file, and it says that it is a plan. */
    static boolean isPlanFile(String name) {
        try {
            Path path = Path.of(name);
            if (!Files.isRegularFile(path)) {
                return false;
            }
            try (InputStream in = Files.newInputStream(path)) {
                String head = new String(in.readNBytes(HEAD_BYTES), StandardCharsets.UTF_8);
                return head.contains("\"" + PlanFile.FORMAT + "/");
            }
        } catch (InvalidPathException | IOException e) {
            return false; // whoever reads it says what is wrong
        }
    }

    /**
     * Reads a file.
     *
     * @param options each one that is given replaces what the file says
     * @throws UserError with file, field and value
     */
    static GivenPlan read(String name, Setting.Options options) {
        Path path;
        try {
            path = Path.of(name);
        } catch (InvalidPathException e) {
            throw new UserError("no file can have the name " + name, "Maybe plan.json");
        }
        if (!Files.exists(path)) {
            throw new UserError("there is no file " + name, "Maybe write one: shardplan plan … -o plan.json");
        }
        PlanFile file = PlanFile.read(path);
        Setting made = Setting.of(file, name, Setting.Options.NONE);
        check(file, name, new PlanRules(made.graph()));
        return new GivenPlan(Setting.of(file, name, options), file.plan().shorthand());
    }

    /** This version simulates placements by the expert rules alone: others must not pass unnoticed. */
    private static void check(PlanFile file, String name, PlanRules rules) {
        Plan given = file.plan();
        Plan expanded = rules.expand(given.shorthand(), file.workload().globalBatch());
        String part = !given.mesh().equals(expanded.mesh())
                ? "mesh"
                : !given.stages().equals(expanded.stages())
                        ? "stages"
                        : !given.placements().equals(expanded.placements()) ? "placements" : "";
        if (!part.isEmpty()) {
            throw new UserError(
                    name + ": plan." + part + " is not what plan.text expands to, and this version runs nothing else",
                    "Maybe change plan.text, or write the file again with plan -o");
        }
    }
}
