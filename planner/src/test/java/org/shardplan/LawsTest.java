package org.shardplan;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** The laws on size and names, over the main sources of all modules. */
final class LawsTest {
    private static final int FILE_LINES = 400;
    private static final int MEDIAN_LINES = 80;
    private static final int METHOD_LINES = 60;
    private static final Set<String> NAMELESS = Set.of(
            "util", "utils", "common", "core", "impl", "base", "manager", "managers", "helper", "helpers", "misc");

    private final Path root = Checkout.root();
    private final List<Path> sources = Checkout.mainSources();

    @Test
    void filesAreAtMost400Lines() throws IOException {
        List<String> tooLong = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (Path source : sources) {
            int lines = Files.readAllLines(source).size();
            if (!source.endsWith("package-info.java")) {
                sizes.add(lines);
            }
            if (lines > FILE_LINES) {
                tooLong.add(root.relativize(source) + ": " + lines + " lines");
            }
        }
        sizes.sort(null);
        System.out.printf(
                "laws: %d files, median %d lines (wanted: at most %d), longest %d (at most %d)%n",
                sizes.size(), sizes.get(sizes.size() / 2), MEDIAN_LINES, sizes.getLast(), FILE_LINES);
        assertTrue(
                tooLong.isEmpty(),
                () -> "files past " + FILE_LINES + " lines. Maybe each holds two things: " + tooLong);
    }

    /** A method's lines are counted from its annotations to its closing brace, its documentation not. */
    @Test
    void methodsAreAtMost60Lines() throws IOException {
        List<String> tooLong = new ArrayList<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, null, List.of("-proc:none"), null, files.getJavaFileObjectsFromPaths(sources));
            Iterable<? extends CompilationUnitTree> units = task.parse();
            assertTrue(StreamSupport.stream(units.spliterator(), false).count() == sources.size(), "all were parsed");
            for (CompilationUnitTree unit : units) {
                new MethodSizes(unit, Trees.instance(task).getSourcePositions(), tooLong).scan(unit, null);
            }
        }
        assertTrue(tooLong.isEmpty(), () -> "methods past " + METHOD_LINES + " lines: " + tooLong);
    }

    @Test
    void noFolderIsNamedAfterNothing() {
        List<Path> nameless = sources.stream()
                .map(source -> root.relativize(source).getParent())
                .distinct()
                .filter(folder -> StreamSupport.stream(folder.spliterator(), false)
                        .anyMatch(part -> NAMELESS.contains(part.toString())))
                .toList();
        assertTrue(nameless.isEmpty(), () -> "folders named after nothing. What do their files do? " + nameless);
    }

    private final class MethodSizes extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<String> tooLong;

        MethodSizes(CompilationUnitTree unit, SourcePositions positions, List<String> tooLong) {
            this.unit = unit;
            this.positions = positions;
            this.tooLong = tooLong;
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method));
            long last = unit.getLineMap().getLineNumber(positions.getEndPosition(unit, method));
            if (last - first + 1 > METHOD_LINES) {
                Path file = root.relativize(Path.of(unit.getSourceFile().toUri()));
                tooLong.add("%s:%d %s, %d lines".formatted(file, first, method.getName(), last - first + 1));
            }
            return super.visitMethod(method, null);
        }
    }
}
