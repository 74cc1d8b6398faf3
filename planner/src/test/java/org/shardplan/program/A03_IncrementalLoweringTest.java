package org.shardplan.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.shardplan.graph.Block;
import org.shardplan.graph.Operator;
import org.shardplan.plan.ExpertRules;
import org.shardplan.plan.Placement;

/** Re-lowering one operator gives the program that lowering all operators gives. */
class A03_IncrementalLoweringTest {
    private final Block layer = LoweringFixture.layer(1024, 16, 512);

    @Property(tries = 200)
    void relowerEqualsLowerAll(
            @ForAll @IntRange(min = 0, max = 9) int index,
            @ForAll boolean sequenceParallel,
            @ForAll @IntRange(min = 0, max = 3) int choice,
            @ForAll @IntRange(min = 1, max = 3) int log2tp) {
        int tp = 1 << log2tp;
        Operator operator = layer.operators().get(index);
        List<Placement> choices = List.of(
                new Placement(Map.of()),
                new Placement(Map.of("batch", List.of("dp"))),
                new Placement(Map.of("batch", List.of("dp"), "seq", List.of("tp"))),
                new Placement(Map.of("batch", List.of("dp", "tp"))));
        Placement placement = choices.get(choice);

        Map<String, Placement> before = ExpertRules.placements(layer, sequenceParallel);
        Map<String, Placement> after = new HashMap<>(before);
        after.put(operator.name(), placement);
        Placement boundary = ExpertRules.boundary(sequenceParallel);
        LoweringContext context = LoweringFixture.context(tp, 2, 1);

        BlockLowering.Patch patch =
                BlockLowering.lower(layer, before, boundary, context).relower(operator.name(), placement);
        BlockProgram whole =
                BlockLowering.lower(layer, after, boundary, context).program();

        assertEquals(whole, patch.lowering().program());
        assertTrue(whole.forward()
                .containsAll(patch.added().stream()
                        .filter(task -> task.id().contains("/F"))
                        .toList()));
    }
}
