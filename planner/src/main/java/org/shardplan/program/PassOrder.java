package org.shardplan.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Block;
import org.shardplan.graph.Contraction;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Pointwise;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.Stream;

/** Puts fragments and edges of a block into the order in which a rank runs them, forward and backward. */
final class PassOrder {
    private final Block block;
    private final Placement boundary;
    private final LoweringContext context;
    private final Map<String, Fragment> fragments;
    /** For each tensor the operators of the block that read it. */
    private final Map<String, List<Fragment>> readers = new LinkedHashMap<>();
    /** For each tensor its producer in the block. */
    private final Map<String, Fragment> producers = new HashMap<>();

    PassOrder(Block block, Placement boundary, LoweringContext context, Map<String, Fragment> fragments) {
        this.block = block;
        this.boundary = boundary;
        this.context = context;
        this.fragments = fragments;
        for (Fragment fragment : fragments.values()) {
            producers.put(fragment.operator().output().name(), fragment);
            for (Tensor input : fragment.operator().inputs()) {
                readers.computeIfAbsent(input.name(), _ -> new ArrayList<>()).add(fragment);
            }
        }
    }

    List<Task> forward() {
        TaskList tasks = new TaskList(block.name());
        Map<String, TensorLayout> layouts = new HashMap<>();
        layouts.put(block.input().name(), BlockLowering.boundaryOf(block.input(), boundary, context));
        for (Fragment fragment : fragments.values()) {
            Operator operator = fragment.operator();
            List<Integer> waits = forwardReshards(tasks, fragment, layouts);
            if (exchange(fragment).isPresent()) {
                exchange(fragment).get().forward(tasks, waits);
            } else {
                tasks.kernels(operator.name() + "/F", fragment.forward(), waits);
            }
            layouts.put(operator.output().name(), fragment.written());
        }
        Tensor output = block.output();
        TensorLayout left = layouts.getOrDefault(output.name(), boundaryLayout(output));
        move(tasks, "output/F", output, left, boundaryLayout(output));
        return tasks.finish();
    }

    /** How attention gets keys of other ranks, where it does. */
    private Optional<AttentionSteps> exchange(Fragment fragment) {
        return fragment.operator() instanceof Attention attention
                ? Optional.of(new AttentionSteps(attention, fragment.placement(), context))
                        .filter(AttentionSteps::exchanges)
                : Optional.empty();
    }

    private List<Integer> forwardReshards(TaskList tasks, Fragment fragment, Map<String, TensorLayout> layouts) {
        Operator operator = fragment.operator();
        List<Integer> waits = new ArrayList<>();
        boolean partialSumDone = false;
        for (Tensor input : operator.inputs()) {
            TensorLayout have = layouts.getOrDefault(input.name(), boundaryLayout(input));
            TensorLayout need = fragment.read().getOrDefault(input.name(), have);
            boolean partial = have.spreads().containsValue(Spread.PARTIAL);
            if (partial && partialSumDone && isSum(operator)) {
                continue; // terms of one sum are added where they are, then reduced once
            }
            String id = operator.name() + "/F/" + input.name();
            waits.addAll(move(tasks, id, input, have, need));
            layouts.put(input.name(), need);
            partialSumDone |= partial;
        }
        return waits;
    }

    private static boolean isSum(Operator operator) {
        return operator instanceof Pointwise pointwise && pointwise.function() == Pointwise.Function.ADD;
    }

    private List<Integer> move(TaskList tasks, String id, Tensor tensor, TensorLayout from, TensorLayout to) {
        List<Integer> indices = new ArrayList<>();
        for (Collective collective : new Edge(tensor, from, to).collectives(context)) {
            String name = id + "/" + collective.kind() + "/" + collective.dim();
            // experts' exchanges may go among context ranks, too
            boolean context = !tensor.indexedBy("expert")
                    && LoweringContext.CONTEXT_DIMS.containsAll(
                            List.of(collective.dim().split("\\+")));
            indices.add(tasks.collective(name, collective, context ? Stream.CONTEXT : Stream.TENSOR));
        }
        return indices;
    }

    private TensorLayout boundaryLayout(Tensor tensor) {
        return BlockLowering.boundaryOf(tensor, boundary, context);
    }

    /** What of a backward pass a slot does. */
    enum Part {
        BOTH,
        INPUTS,
        WEIGHTS
    }

    List<Task> backward(SavedActivations saved, Part part) {
        if (part == Part.WEIGHTS) {
            return weights(saved);
        }
        TaskList tasks = new TaskList(block.name());
        Map<String, List<Integer>> gradientReady = new HashMap<>();
        Set<String> done = new HashSet<>();
        Tensor last = block.output();
        Fragment lastFragment = producers.get(last.name());
        if (lastFragment != null) {
            List<Integer> waits = move(tasks, "output/B", last, boundaryLayout(last), lastFragment.outputGradient());
            gradientReady.put(last.name(), waits);
        }
        for (Fragment fragment : new ArrayList<>(fragments.values()).reversed()) {
            backwardOperator(tasks, fragment, saved, gradientReady, done, part);
        }
        return tasks.finish();
    }

    private void backwardOperator(
            TaskList tasks,
            Fragment fragment,
            SavedActivations saved,
            Map<String, List<Integer>> gradientReady,
            Set<String> done,
            Part part) {
        Operator operator = fragment.operator();
        boolean overlap = context.framework().overlap().weightGradientOverlap();
        List<Integer> waits =
                new ArrayList<>(gradientReady.getOrDefault(operator.output().name(), List.of()));
        List<Integer> gathers = new ArrayList<>();
        if (operator instanceof Contraction
                && part == Part.BOTH
                && !fragment.backwardWeight().isEmpty()) {
            gathers.addAll(regather(tasks, fragment, saved, "/W/"));
        }
        if (!overlap) {
            waits.addAll(gathers);
        }
        List<Integer> parts = new ArrayList<>();
        if (exchange(fragment).isPresent()) {
            parts.addAll(exchange(fragment).get().backward(tasks, waits));
        } else {
            tasks.kernels(operator.name() + "/B", fragment.backwardInput(), waits);
        }
        done.add(operator.name());
        List<Integer> reduces = inputGradients(tasks, fragment, gradientReady, done);
        if (!parts.isEmpty()) {
            parts.addAll(gradientReady.getOrDefault(operator.inputs().getFirst().name(), List.of()));
            gradientReady.put(operator.inputs().getFirst().name(), parts);
        }
        if (part == Part.INPUTS) {
            return;
        }
        List<Integer> weightWaits = new ArrayList<>(gathers);
        if (!overlap) {
            weightWaits.addAll(reduces);
        }
        if (fragment.backwardInput().isEmpty()) {
            weightWaits.addAll(waits);
        }
        tasks.kernels(operator.name() + "/W", fragment.backwardWeight(), weightWaits);
    }

    /** Weight gradients alone, in the order of the backward pass: the gathers of kept shards, then the products. */
    private List<Task> weights(SavedActivations saved) {
        TaskList tasks = new TaskList(block.name());
        for (Fragment fragment : new ArrayList<>(fragments.values()).reversed()) {
            if (!fragment.backwardWeight().isEmpty()) {
                Operator operator = fragment.operator();
                List<Integer> gathers =
                        operator instanceof Contraction ? regather(tasks, fragment, saved, "/W/") : List.of();
                tasks.kernels(operator.name() + "/W", fragment.backwardWeight(), gathers);
            }
        }
        return tasks.finish();
    }

    /** The weight gradient needs the input as the product read it; where a shard was kept, it is gathered again. */
    private List<Integer> regather(TaskList tasks, Fragment fragment, SavedActivations saved, String pass) {
        List<Integer> gathers = new ArrayList<>();
        for (Tensor input : fragment.operator().inputs()) {
            TensorLayout need = fragment.read().getOrDefault(input.name(), saved.keptLayout(input, fragment));
            String id = fragment.operator().name() + pass + input.name();
            gathers.addAll(move(tasks, id, input, saved.keptLayout(input, fragment), need));
        }
        return gathers;
    }

    /** Once all readers of an input have given their gradient, its sum goes to the layout that its producer needs. */
    private List<Integer> inputGradients(
            TaskList tasks, Fragment fragment, Map<String, List<Integer>> gradientReady, Set<String> done) {
        List<Integer> reduces = new ArrayList<>();
        for (Tensor input : fragment.operator().inputs()) {
            List<Fragment> all = readers.getOrDefault(input.name(), List.of());
            if (input.kind() == Tensor.Kind.INPUT
                    || !all.stream()
                            .allMatch(reader -> done.contains(reader.operator().name()))) {
                continue;
            }
            Fragment producer = producers.get(input.name());
            TensorLayout need = producer == null ? boundaryLayout(input) : producer.outputGradient();
            String id = fragment.operator().name() + "/B/" + input.name();
            List<Integer> moved = move(tasks, id, input, gradientSum(input, all), need);
            gradientReady.put(input.name(), moved);
            reduces.addAll(moved);
        }
        return reduces;
    }

    /** Layout of the sum of what the readers contribute: partial where one of them is, and cheaper terms join it before the move. */
    private TensorLayout gradientSum(Tensor tensor, List<Fragment> all) {
        Map<String, Spread> spreads = new LinkedHashMap<>();
        for (String dim : context.activeDims()) {
            for (Fragment reader : all) {
                TensorLayout layout = reader.inputGradient().get(tensor.name());
                Spread spread = layout == null ? Spread.REPLICATED : layout.on(dim);
                if (spread instanceof Spread.Partial || !spreads.containsKey(dim)) {
                    spreads.put(dim, spread);
                }
            }
        }
        return new TensorLayout(spreads);
    }

    /** Forward kernels of what "selective" makes again, and the gathers of products among them whose input was kept in parts. */
    List<Task> recomputeSelective(SelectiveRecompute selective, SavedActivations saved) {
        TaskList tasks = new TaskList(block.name());
        for (Fragment fragment : fragments.values()) {
            Operator operator = fragment.operator();
            double share = operator instanceof Attention && selective.attentionCore() ? 1 : selective.share(operator);
            if (share > 0) {
                List<Integer> gathers =
                        operator instanceof Contraction ? regather(tasks, fragment, saved, "/R/") : List.of();
                List<Kernel> kernels = fragment.forward().stream()
                        .map(kernel -> part(kernel, share))
                        .toList();
                tasks.kernels(operator.name() + "/R", kernels, gathers);
            }
        }
        return tasks.finish();
    }

    /** A product of fewer columns: those that are made again. */
    private static Kernel part(Kernel kernel, double share) {
        return kernel instanceof Kernel.MatrixProduct product && share < 1
                ? new Kernel.MatrixProduct(
                        product.name(),
                        product.batch(),
                        product.m(),
                        Math.round(share * product.n()),
                        product.k(),
                        product.precision(),
                        product.castBytes())
                : kernel;
    }
}
