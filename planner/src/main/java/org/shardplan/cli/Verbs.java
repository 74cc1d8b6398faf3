package org.shardplan.cli;

import java.util.List;

/** The verbs of the command line. A verb's classes are loaded when it is used, or when all are listed. */
final class Verbs {
    /** In the order of the help. */
    static final List<String> NAMES = List.of(
            "plan",
            "simulate",
            "explain",
            "validate",
            "sweep",
            "models",
            "clusters",
            "methods",
            "frameworks",
            "doctor",
            "completion");

    private Verbs() {}

    static Object command(String verb, Session session) {
        return switch (verb) {
            case "plan" -> new PlanCommand(session);
            case "simulate" -> new SimulateCommand(session);
            case "explain" -> new ExplainCommand(session);
            case "validate" -> new ValidateCommand(session);
            case "sweep" -> new SweepCommand(session);
            case "models" -> new ModelsCommand(session);
            case "clusters" -> new ClustersCommand(session);
            case "methods" -> new MethodsCommand(session);
            case "frameworks" -> new FrameworksCommand(session);
            case "doctor" -> new DoctorCommand(session);
            case "completion" -> new CompletionCommand(session);
            default -> throw new IllegalArgumentException("no verb " + verb);
        };
    }
}
