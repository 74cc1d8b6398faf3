package org.shardplan.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.shardplan.graph.Attention;
import org.shardplan.graph.Block;
import org.shardplan.graph.CrossEntropy;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;
import org.shardplan.program.BlockProgram.LocalParameter;
import org.shardplan.program.BlockProgram.SavedTensor;
import org.shardplan.workload.Workspace;

/**
 * Lowers one block for one micro-batch: fragments by operator, edges by tensor, then tasks in order.
 *
 * <p>Incremental: {@link #relower} replaces the fragment of one operator and the edges that touch it.
 */
public final class BlockLowering {
    private final Block block;
    private final Placement boundary;
    private final LoweringContext context;
    private final Map<String, Fragment> fragments;

    private BlockLowering(Block block, Placement boundary, LoweringContext context, Map<String, Fragment> fragments) {
        this.block = block;
        this.boundary = boundary;
        this.context = context;
        this.fragments = fragments;
    }

    /** Layers alone run in formats that are cast to: embedding, head and loss keep 16 bits. */
    private static LoweringContext of(boolean layer, LoweringContext context) {
        return layer || !context.precision().isCast()
                ? context
                : context.with(context.precision().beside());
    }

    /**
     * Lowers all operators.
     *
     * @param placements by operator name; an absent one is not split
     * @param boundary how the activations between blocks are split: {@code batch} and, with sequence parallelism, {@code seq}
     */
    public static BlockLowering lower(
            Block block, Map<String, Placement> placements, Placement boundary, LoweringContext workload) {
        LoweringContext context = of(block.kind() == Block.Kind.LAYER, workload);
        Map<String, Fragment> fragments = new LinkedHashMap<>();
        for (Operator operator : block.operators()) {
            Placement placement = placements.getOrDefault(operator.name(), new Placement(Map.of()));
            fragments.put(operator.name(), Fragment.lower(operator, placement, of(block.inLayer(operator), workload)));
        }
        return new BlockLowering(block, boundary, context, fragments);
    }

    /** Re-lowers one operator under another placement; all other fragments are shared with this lowering. */
    public Patch relower(String operator, Placement placement) {
        Fragment old = fragments.get(operator);
        if (old == null) {
            throw new IllegalArgumentException("block " + block.name() + " has no operator " + operator);
        }
        Map<String, Fragment> changed = new LinkedHashMap<>(fragments);
        changed.put(operator, Fragment.lower(old.operator(), placement, context));
        BlockLowering after = new BlockLowering(block, boundary, context, changed);
        return new Patch(
                operator, after, difference(program(), after.program()), difference(after.program(), program()));
    }

    /**
     * What re-lowering changed.
     *
     * @param removed tasks that the old program has and the new one has not, {@code added} the other way
     */
    public record Patch(String operator, BlockLowering lowering, Set<Task> removed, Set<Task> added) {}

    private static Set<Task> difference(BlockProgram left, BlockProgram right) {
        Set<Task> tasks = new LinkedHashSet<>(left.forward());
        tasks.addAll(left.backward());
        right.forward().forEach(tasks::remove);
        right.backward().forEach(tasks::remove);
        return tasks;
    }

    /** The block's program: tasks, saved activations, parameters. */
    public BlockProgram program() {
        PassOrder order = new PassOrder(block, boundary, context, fragments);
        SavedActivations saved = new SavedActivations(fragments, boundary, context);
        List<Task> forward = order.forward();
        SelectiveRecompute selective = new SelectiveRecompute(block, context);
        Tensor output = block.output();
        TensorLayout outputLayout = boundaryOf(output, boundary, context);
        return new BlockProgram(
                block,
                forward,
                order.backward(saved, PassOrder.Part.BOTH),
                order.backward(saved, PassOrder.Part.INPUTS),
                order.backward(saved, PassOrder.Part.WEIGHTS),
                order.recomputeSelective(selective, saved),
                forward,
                saved.all(null),
                saved.all(selective),
                List.of(new SavedTensor(block.input().name(), inputBytes(saved))),
                saved.keptForWeights(),
                saved.bytes(output, outputLayout),
                outputLayout.on("tp") instanceof Spread.Replicated,
                parameters(),
                transientBytes(saved));
    }

    private long inputBytes(SavedActivations saved) {
        return saved.bytes(block.input(), boundaryOf(block.input(), boundary, context));
    }

    /** Layout of a tensor between blocks: split as the boundary says, never partial. */
    static TensorLayout boundaryOf(Tensor tensor, Placement boundary, LoweringContext context) {
        boolean stream = tensor.indexedBy("hidden");
        Placement placement = stream
                ? boundary
                : new Placement(Map.of(
                        "batch",
                        boundary.axisToDims().getOrDefault("batch", List.of()),
                        "seq",
                        boundary.axisToDims().getOrDefault("seq", List.of()).stream()
                                .filter(LoweringContext.CONTEXT_DIMS::contains)
                                .toList()));
        return TensorLayout.read(tensor, placement, context.activeDims());
    }

    private List<LocalParameter> parameters() {
        Map<String, LocalParameter> all = new LinkedHashMap<>();
        for (Fragment fragment : fragments.values()) {
            for (Tensor parameter : fragment.operator().parameters()) {
                all.put(parameter.name(), local(fragment, parameter));
            }
        }
        return new ArrayList<>(all.values());
    }

    private LocalParameter local(Fragment fragment, Tensor parameter) {
        List<String> dims = context.activeDims();
        TensorLayout layout = TensorLayout.read(parameter, fragment.placement(), dims);
        TensorLayout gradient =
                TensorLayout.gradientWritten(fragment.operator(), parameter, fragment.placement(), dims);
        List<String> partialOn = dims.stream()
                .filter(dim -> gradient.on(dim) instanceof Spread.Partial)
                .toList();
        return new LocalParameter(
                parameter.name(),
                layout.localElements(parameter, context),
                Block.isShared(parameter),
                parameter.indexedBy("expert") && layout.degreeOf("expert", context.meshSizes()) > 1,
                parameter.isTrained(),
                partialOn);
    }

    /**
     * At the peak of a pass: gradients of an operator's result and input, those of unfused attention's dropped and softmaxed scores, or
     * what the loss makes of the logits.
     */
    private long transientBytes(SavedActivations saved) {
        Workspace workspace = context.framework().memory().workspace();
        long most = 0;
        for (Fragment fragment : fragments.values()) {
            Operator operator = fragment.operator();
            if (operator instanceof CrossEntropy entropy) {
                long logits = saved.elements(
                        entropy.softmax(),
                        TensorLayout.read(entropy.softmax(), fragment.placement(), context.activeDims()));
                most = Math.max(most, logits * (workspace.lossPeakBytes() - workspace.lossKeptBytes()));
            } else if (!isLogits(operator)) {
                long input = saved.bytes(operator.inputs().getFirst(), fragment);
                most = Math.max(most, saved.bytes(operator.output(), fragment.written()) + input);
            }
            if (operator instanceof Attention attention) {
                most = Math.max(most, 2 * saved.scoreBytes(attention, fragment));
                long buffers = new AttentionSteps(attention, fragment.placement(), context).bufferBytes();
                long input = saved.bytes(operator.inputs().getFirst(), fragment);
                most = Math.max(most, buffers + saved.bytes(operator.output(), fragment.written()) + input);
            }
        }
        return most;
    }

    private boolean isLogits(Operator operator) {
        return block.kind() == Block.Kind.HEAD && operator.output().indexedBy("vocab");
    }
}
