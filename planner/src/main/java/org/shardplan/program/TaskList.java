package org.shardplan.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.shardplan.program.Task.Collective;
import org.shardplan.program.Task.Segment;
import org.shardplan.program.Task.Stream;

/** Builds a list of tasks: kernels join the open segment until a collective, or a wait for one, closes it. */
final class TaskList {
    private final String prefix;
    private final List<Task> tasks = new ArrayList<>();
    private final Set<Integer> awaited = new TreeSet<>();
    private final List<Kernel> openKernels = new ArrayList<>();
    private final List<Integer> openAfter = new ArrayList<>();
    private String openName = "";
    private int lastCompute = -1;

    /** {@code prefix} is {@code block}, which starts each task's id. */
    TaskList(String prefix) {
        this.prefix = prefix;
    }

    /** Runs kernels on the compute stream when the tasks in {@code waits} have ended. */
    void kernels(String name, List<Kernel> kernels, List<Integer> waits) {
        if (kernels.isEmpty()) {
            return;
        }
        List<Integer> open =
                waits.stream().filter(wait -> !awaited.contains(wait)).toList();
        if (!open.isEmpty()) {
            close();
            openAfter.addAll(open);
            awaited.addAll(open);
        }
        if (openKernels.isEmpty()) {
            openName = name;
        }
        openKernels.addAll(kernels);
    }

    /** Queues a collective that starts when all kernels so far have ended; gives its index. */
    int collective(String name, Collective collective, Stream stream) {
        close();
        List<Integer> after = lastCompute < 0 ? List.of() : List.of(lastCompute);
        tasks.add(new Task(prefix + "/" + name, collective, stream, after));
        return tasks.size() - 1;
    }

    private void close() {
        if (!openKernels.isEmpty()) {
            List<Integer> after = new ArrayList<>(openAfter);
            if (lastCompute >= 0) {
                after.addFirst(lastCompute);
            }
            tasks.add(new Task(prefix + "/" + openName, new Segment(openKernels), Stream.COMPUTE, after));
            lastCompute = tasks.size() - 1;
            openKernels.clear();
            openAfter.clear();
        }
    }

    List<Task> finish() {
        close();
        return List.copyOf(tasks);
    }
}
