package io.millrace.api.execution;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The files of a command, in the directory of its attempt on the node. Where a command runs on
 * another machine, both need this directory under the same path.
 *
 * @param work its working directory, unless its order names another one
 * @param stdin what it reads; without this file it reads nothing
 * @param stdout its standard output, appended to
 * @param stderr its error output, appended to
 * @param progress what it may write its progress to
 * @param values what a step of a workflow writes its output values to; empty for other commands
 */
public record CommandFiles(
    Path work, Path stdin, Path stdout, Path stderr, Path progress, Optional<Path> values) {
  /**
   * Creates what is missing, for the node's user alone, except the standard input. Files that exist
   * stay as they are.
   */
  public void create() throws IOException {
    Files.createDirectories(work);
    List<Path> files = new ArrayList<>(List.of(stdout, stderr, progress));
    values.ifPresent(files::add);
    for (Path file : files) {
      createPrivate(file);
    }
  }

  private static void createPrivate(Path file) throws IOException {
    try {
      if (Files.getFileStore(file.getParent()).supportsFileAttributeView("posix")) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      } else {
        Files.createFile(file);
      }
    } catch (FileAlreadyExistsException before) {
      // What it holds was written for this attempt.
      return;
    }
  }
}
