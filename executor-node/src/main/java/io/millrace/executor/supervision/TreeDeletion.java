package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes a tree that an attempt may still be changing, with the rights of an agent that may be
 * root. Blocks for the disk.
 *
 * <p>Each folder is opened once, without following a link, and its entries are deleted relative to
 * the open folder: when the attempt replaces a folder by a link meanwhile, nothing behind the link
 * is deleted. A tree of any depth needs at most {@value #DEPTH} open folders: what lies deeper is
 * moved to the top first.
 */
final class TreeDeletion {
  private static final Logger LOGGER = LoggerFactory.getLogger(TreeDeletion.class);
  private static final int DEPTH = 64;
  // Enough for a tree of six million levels.
  private static final int ROUNDS = 100_000;

  private final SecureDirectoryStream<Path> top;
  private final Consumer<Path> looked;
  private long moved;

  private TreeDeletion(SecureDirectoryStream<Path> top, Consumer<Path> looked) {
    this.top = top;
    this.looked = looked;
  }

  /**
   * Deletes the tree, write-protected folders (as build caches leave them) included; nothing if it
   * doesn't exist.
   */
  static void delete(Path tree) throws IOException {
    delete(tree, folder -> {});
  }

  /**
   * The same for tests of what an attempt may do at the worst moment.
   *
   * @param looked called with each folder after it was seen to be one and before it is opened
   */
  static void delete(Path tree, Consumer<Path> looked) throws IOException {
    Path parent = tree.toAbsolutePath().getParent();
    if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (DirectoryStream<Path> folder = Files.newDirectoryStream(parent)) {
      if (!(folder instanceof SecureDirectoryStream<Path> secure)) {
        throw new AccessDeniedException(
            tree.toString(), null, "this file system cannot delete without following links");
      }
      delete(secure, tree, looked);
    }
  }

  private static void delete(SecureDirectoryStream<Path> parent, Path tree, Consumer<Path> looked)
      throws IOException {
    Path name = tree.getFileName();
    if (!isFolder(parent, name)) {
      parent.deleteFile(name);
      return;
    }
    unlock(tree);
    for (int round = 0; round < ROUNDS; round++) {
      // A stream lists its folder once.
      try (SecureDirectoryStream<Path> opened =
          parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
        TreeDeletion deletion = new TreeDeletion(opened, looked);
        deletion.empty(opened, tree, 1);
        if (deletion.moved == 0) {
          break;
        }
      }
    }
    parent.deleteDirectory(name);
  }

  /**
   * Deletes all entries of an open folder.
   *
   * @param path where it was when the deletion began, to unlock what is in it
   */
  private void empty(SecureDirectoryStream<Path> folder, Path path, int depth) throws IOException {
    try {
      for (Path entry : folder) {
        deleteEntry(folder, path, entry.getFileName(), depth);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private void deleteEntry(SecureDirectoryStream<Path> folder, Path path, Path name, int depth)
      throws IOException {
    try {
      if (!isFolder(folder, name)) {
        folder.deleteFile(name);
      } else if (depth < DEPTH) {
        deleteFolder(folder, path, name, depth);
      } else {
        unlock(path.resolve(name));
        folder.move(name, top, Path.of(".deep-" + System.nanoTime() + "-" + moved++));
      }
    } catch (NoSuchFileException removedMeanwhile) {
      LOGGER.debug("{} is gone already", path.resolve(name));
    }
  }

  private void deleteFolder(SecureDirectoryStream<Path> folder, Path path, Path name, int depth)
      throws IOException {
    Path inside = path.resolve(name);
    unlock(inside);
    looked.accept(inside);
    try (SecureDirectoryStream<Path> opened =
        folder.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
      empty(opened, inside, depth + 1);
    }
    folder.deleteDirectory(name);
  }

  private static boolean isFolder(SecureDirectoryStream<Path> folder, Path name)
      throws IOException {
    return folder
        .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes()
        .isDirectory();
  }

  /**
   * Makes a folder of the agent's own user accessible. An agent that runs as root has access to all
   * of them, so that it changes none by its path.
   */
  private static void unlock(Path folder) throws IOException {
    boolean locked =
        Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
            && !(Files.isReadable(folder)
                && Files.isWritable(folder)
                && Files.isExecutable(folder));
    if (locked) {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }
  }
}
