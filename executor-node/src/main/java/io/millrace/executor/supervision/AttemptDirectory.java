package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.LogTrim.DroppedRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one attempt: {@code <root>/<job>.<number>/} with {@code stdin}, {@code stdout},
 * {@code stderr}, {@code work/} and the records of its supervision.
 *
 * <p>Readable by the agent's user only. The attempt runs as that user and may change these files in
 * any way, so they are opened without following links. Stateless and thread-safe; all methods that
 * throw {@link IOException} read or write the disk.
 */
public final class AttemptDirectory {

  private static final Logger LOGGER = LoggerFactory.getLogger(AttemptDirectory.class);
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  private final AttemptId id;
  private final Path path;

  /** The directory of an attempt, which need not exist. */
  public AttemptDirectory(Path root, AttemptId id) {
    this.id = id;
    this.path = root.toAbsolutePath().resolve(id.toString());
  }

  /** The directories of all attempts below the root, in no order; other names are ignored. */
  static List<AttemptDirectory> all(Path root) throws IOException {
    List<AttemptDirectory> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
      for (Path entry : entries) {
        try {
          found.add(new AttemptDirectory(root, AttemptId.parse(entry.getFileName().toString())));
        } catch (IllegalArgumentException notAnAttempt) {
          LOGGER.warn("{} is not the directory of an attempt; it is ignored", entry);
        }
      }
    } catch (NoSuchFileException nothingRanYet) {
      return List.of();
    }
    return found;
  }

  /** The attempt. */
  public AttemptId id() {
    return id;
  }

  /** The directory itself. */
  public Path path() {
    return path;
  }

  /** What the command reads as standard input; without this file it reads nothing. */
  public Path stdin() {
    return path.resolve("stdin");
  }

  /** The file of one of the outputs. */
  public Path output(LogStream stream) {
    return path.resolve(stream.fileName());
  }

  /** The working directory, unless the launch names another. */
  public Path work() {
    return path.resolve("work");
  }

  Path launchRecord() {
    return path.resolve("launch");
  }

  Path supervisorRecord() {
    return path.resolve("supervisor");
  }

  Path stoppingRecord() {
    return path.resolve("stopping");
  }

  Path exitRecord() {
    return path.resolve("exit");
  }

  Path usageRecord() {
    return path.resolve("usage");
  }

  Path leaseRecord() {
    return path.resolve("lease");
  }

  Path watchdogRecord() {
    return path.resolve("watchdog");
  }

  Path droppedRecord(LogStream stream) {
    return path.resolve(stream.fileName() + ".dropped");
  }

  private Path reportedMark() {
    return path.resolve("reported");
  }

  /** Creates the missing parts of the directory and its {@code work}. */
  public void create() throws IOException {
    createWithoutWork();
    createOne(work());
  }

  /** Creates only the directory, for attempts without a working directory. */
  public void createWithoutWork() throws IOException {
    createOne(path);
  }

  // The parents exist except for a node's first attempt; checking them all takes longer.
  private static void createOne(Path directory) throws IOException {
    FileAttribute<?> ownerOnly = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
    try {
      Files.createDirectory(directory, ownerOnly);
    } catch (FileAlreadyExistsException | NoSuchFileException orNoParents) {
      Files.createDirectories(directory, ownerOnly);
    }
  }

  /** Records that the end has been reported, so that recovery skips this attempt. */
  public void markReported() throws IOException {
    try {
      Files.createFile(reportedMark());
    } catch (FileAlreadyExistsException alreadyMarked) {
      LOGGER.debug("attempt {} was already marked as reported", id);
    }
  }

  /** Whether {@link #markReported} was called. */
  public boolean isReported() {
    return Files.exists(reportedMark(), LinkOption.NOFOLLOW_LINKS);
  }

  /** Deletes the directory and all in it, without following links; nothing if it doesn't exist. */
  public void delete() throws IOException {
    TreeDeletion.delete(path);
  }

  /** Deletes {@code work} and all in it, as {@link #delete} does. */
  public void deleteWork() throws IOException {
    TreeDeletion.delete(work());
  }

  /** The last bytes of an output, never across a part that was dropped; empty without a file. */
  public LogExcerpt tail(LogStream stream, int maxBytes) throws IOException {
    return excerpt(stream, -1, maxBytes);
  }

  /**
   * Bytes of an output from an offset on; empty when it doesn't exist or is not that long.
   *
   * <p>Offsets count the bytes as they were written and stay the same when a part is dropped. At
   * such a part a reader gets one line with its size, and continues after it: follow {@link
   * LogExcerpt#next}.
   */
  public LogExcerpt read(LogStream stream, long offset, int maxBytes) throws IOException {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset + " must not be negative");
    }
    return excerpt(stream, offset, maxBytes);
  }

  private LogExcerpt excerpt(LogStream stream, long offset, int maxBytes) throws IOException {
    Path file = output(stream);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return new LogExcerpt(0, 0, ByteBuffer.allocate(0), 0);
    }
    DroppedRange dropped = DroppedRange.read(droppedRecord(stream));
    while (true) {
      LogExcerpt read = excerpt(file, dropped, offset, maxBytes);
      DroppedRange since = DroppedRange.read(droppedRecord(stream));
      if (since.equals(dropped) || read.offset() >= since.to() || read.next() <= since.from()) {
        return read;
      }
      // What was read may have been dropped meanwhile, and is then not what was written.
      dropped = since;
    }
  }

  private static LogExcerpt excerpt(Path file, DroppedRange dropped, long offset, int maxBytes)
      throws IOException {
    try (SeekableByteChannel channel = UntrustedFile.open(file)) {
      long size = channel.size();
      long from = Math.min(offset, size);
      if (offset < 0) {
        from = Math.max(dropped.to(), Math.max(0, size - maxBytes));
      } else if (dropped.holds(from)) {
        return new LogExcerpt(from, size, dropped.notice(), dropped.to());
      }
      long end = from < dropped.from() && dropped.from() < dropped.to() ? dropped.from() : size;
      ByteBuffer content = ByteBuffer.allocate((int) Math.min(maxBytes, Math.max(0, end - from)));
      channel.position(from);
      int read;
      do {
        read = channel.read(content);
      } while (read >= 0 && content.hasRemaining());
      content.flip();
      return new LogExcerpt(from, size, content, from + content.remaining());
    }
  }

  /** Deletes a tree, write-protected directories (as build caches leave them) included. */
  private static final class TreeDeletion extends SimpleFileVisitor<Path> {

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

    // A directory that cannot be listed fails here, before it is visited.
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
}
