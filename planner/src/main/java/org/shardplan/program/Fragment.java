package org.shardplan.program;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardplan.graph.Operator;
import org.shardplan.graph.Tensor;
import org.shardplan.plan.Placement;

/**
 * One operator lowered by itself: what it computes and how its tensors lie. The unit of incremental lowering.
 *
 * @param forward kernels of the forward pass
 * @param backwardInput kernels of the input gradients
 * @param backwardWeight kernels of the weight gradients that can run apart
 * @param written layout of its output as it leaves the kernels
 * @param read layout that each input needs
 * @param outputGradient layout that its backward pass needs of the output's gradient
 * @param inputGradient layout of each input's gradient as it leaves the kernels
 */
record Fragment(
        Operator operator,
        Placement placement,
        List<Kernel> forward,
        List<Kernel> backwardInput,
        List<Kernel> backwardWeight,
        TensorLayout written,
        Map<String, TensorLayout> read,
        TensorLayout outputGradient,
        Map<String, TensorLayout> inputGradient) {

    static Fragment lower(Operator operator, Placement placement, LoweringContext context) {
        List<String> dims = context.activeDims();
        Kernels kernels = new Kernels(operator, placement, context);
        Map<String, TensorLayout> read = new LinkedHashMap<>();
        Map<String, TensorLayout> gradient = new LinkedHashMap<>();
        for (Tensor input : operator.inputs()) {
            read.put(input.name(), TensorLayout.read(input, placement, dims));
            gradient.put(input.name(), TensorLayout.gradientWritten(operator, input, placement, dims));
        }
        return new Fragment(
                operator,
                placement,
                kernels.forward(),
                kernels.backwardInput(),
                kernels.backwardWeight(),
                TensorLayout.written(operator, placement, dims),
                read,
                TensorLayout.read(operator.output(), placement, dims),
                gradient);
    }
}
