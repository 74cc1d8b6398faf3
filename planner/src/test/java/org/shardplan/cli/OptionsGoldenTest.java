package org.shardplan.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.shardplan.Golden;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Every option of every command; it changes only with a line in CHANGELOG.md. */
final class OptionsGoldenTest {
    @Test
    void options() throws IOException {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        CommandLine all =
                Main.commandLine(new Session(nowhere, nowhere, Terminal.NONE, new Interruption()), Verbs.NAMES);
        StringBuilder text = new StringBuilder();
        describe(all.getCommandSpec(), text);
        for (Map.Entry<String, CommandLine> verb : all.getSubcommands().entrySet()) {
            describe(verb.getValue().getCommandSpec(), text);
        }
        Golden.check("cli/options.txt", text.toString());
    }

    private static void describe(CommandSpec spec, StringBuilder text) {
        text.append(spec.qualifiedName()).append('\n');
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            text.append("  ").append(parameter.paramLabel());
            text.append(" (").append(parameter.arity()).append(")\n");
        }
        spec.options().stream()
                .sorted((a, b) -> a.longestName().compareTo(b.longestName()))
                .forEach(option -> text.append("  ").append(line(option)).append('\n'));
    }

    private static String line(OptionSpec option) {
        String names = String.join(", ", option.names());
        return option.arity().max() == 0 ? names : names + " " + option.paramLabel();
    }
}
