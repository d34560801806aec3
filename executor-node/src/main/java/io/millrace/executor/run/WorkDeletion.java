package io.millrace.executor.run;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Deletes an attempt's working directory with all in it, without following links. */
final class WorkDeletion extends SimpleFileVisitor<Path> {
  static void delete(Path work) throws IOException {
    if (Files.exists(work, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(work, new WorkDeletion());
    }
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
    Files.delete(file);
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult postVisitDirectory(Path directory, IOException failure)
      throws IOException {
    if (failure != null) {
      throw failure;
    }
    Files.delete(directory);
    return FileVisitResult.CONTINUE;
  }
}
