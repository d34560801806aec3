package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Deletes a tree, write-protected directories (as build caches leave them) included. */
final class TreeDeletion extends SimpleFileVisitor<Path> {

  private TreeDeletion() {}

  /** Deletes the tree without following links; nothing if it doesn't exist. */
  static void delete(Path tree) throws IOException {
    if (Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(tree, new TreeDeletion());
    }
  }

  @Override
  public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
      throws IOException {
    if (isLocked(directory)) {
      unlock(directory);
    }
    return FileVisitResult.CONTINUE;
  }

  // A directory that can't even be listed fails here, before it is visited.
  @Override
  public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
    if (!Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) || !isLocked(file)) {
      throw failure;
    }
    unlock(file);
    Files.walkFileTree(file, this);
    return FileVisitResult.CONTINUE;
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

  private static boolean isLocked(Path directory) {
    return !Files.isReadable(directory)
        || !Files.isWritable(directory)
        || !Files.isExecutable(directory);
  }

  private static void unlock(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }
}
