package org.shardplan.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.shardplan.units.UserError;

/** A file that an option names: written beside its place and moved there, so that nobody sees half of one. */
final class FileOutput {
    private final String option;
    private final Path path;

    /** What is written. */
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Checks that it can be written, before any long work.
     *
     * @throws UserError where it can't
     */
    FileOutput(String option, String name) {
        this.option = option;
        try {
            this.path = Path.of(name);
        } catch (InvalidPathException e) {
            throw new UserError(option + " " + name + ": no file can have that name", "Maybe use letters and digits");
        }
        if (name.isBlank()) {
            throw new UserError(option + ": no file is named", "Maybe " + option + " result.json");
        }
        if (Files.isDirectory(path)) {
            throw new UserError(
                    option + " " + name + ": is a folder, a file is wanted", "Maybe " + path.resolve("result.json"));
        }
        Path folder = folder();
        if (!Files.isDirectory(folder)) {
            throw new UserError(option + " " + name + ": there is no folder " + folder, "Maybe mkdir -p " + folder);
        }
        if (Files.exists(path) ? !Files.isWritable(path) : !Files.isWritable(folder)) {
            throw denied();
        }
    }

    private Path folder() {
        Path parent = path.toAbsolutePath().getParent();
        return parent == null ? Path.of("/") : parent;
    }

    private UserError denied() {
        return new UserError(option + " " + path + ": no permission to write it", "Maybe choose another folder");
    }

    /** @throws UserError where the disk says no */
    void write(Content content) {
        try {
            if (Files.exists(path) && !Files.isRegularFile(path)) {
                try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(path))) {
                    content.writeTo(out); // a device or a pipe: there is no place beside it
                } catch (IOException e) {
                    if (!"Broken pipe".equals(e.getMessage())) { // a reader that has gone away is no error
                        throw e;
                    }
                }
                return;
            }
            Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
            Path beside = target.resolveSibling(
                    "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
            try {
                try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(
                        beside,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE))) {
                    content.writeTo(out);
                }
                Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(beside);
            }
        } catch (AccessDeniedException e) {
            throw denied();
        } catch (NoSuchFileException e) {
            throw new UserError(option + " " + path + ": no file can be made there", "Maybe choose another folder");
        } catch (FileSystemException e) {
            throw new UserError(
                    option + " " + path + ": " + (e.getReason() == null ? e.toString() : e.getReason()),
                    "Maybe choose another folder");
        } catch (IOException e) {
            throw new UserError(
                    option + " " + path + ": " + e.getMessage(), "Maybe the disk is full, or choose another folder");
        }
    }

    /** Whether both name the same place. */
    boolean same(@Nullable FileOutput other) {
        return other != null
                && path.toAbsolutePath()
                        .normalize()
                        .equals(other.path.toAbsolutePath().normalize())
                && !(Files.exists(path) && !Files.isRegularFile(path));
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
