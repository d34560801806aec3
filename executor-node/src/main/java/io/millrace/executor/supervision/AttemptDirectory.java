package io.millrace.executor.supervision;

import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.LogTrim.DroppedRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
 * <p>Readable by the agent's user only, or by the attempt's own user where that is another one. The
 * attempt may change what it can reach in any way, so files are opened without following links.
 * Stateless and thread-safe; all methods that throw {@link IOException} read or write the disk.
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
  public static List<AttemptDirectory> all(Path root) throws IOException {
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

  /** What the program writes its progress to; empty at first. */
  public Path progress() {
    return path.resolve("progress");
  }

  /** What a step of a workflow writes its output values to; empty at first. */
  public Path values() {
    return path.resolve("values");
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

  /** Creates a folder for the agent alone, with those above it; one that exists stays as it is. */
  static void createOne(Path directory) throws IOException {
    FileAttribute<?> ownerOnly = PosixFilePermissions.asFileAttribute(OWNER_ONLY);
    try {
      // The parents exist except at a node's first start; checking them all takes longer.
      Files.createDirectory(directory, ownerOnly);
    } catch (FileAlreadyExistsException | NoSuchFileException orNoParents) {
      Files.createDirectories(directory, ownerOnly);
    }
  }

  /** Lets the users of jobs pass through a folder of the agent; they cannot list it. */
  public static void letUsersPass(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
  }

  /**
   * Gives a user the working directory, its input, outputs and progress, and no other file; the
   * directory itself stays the agent's, so that the user cannot replace what is in it. Only an
   * agent that runs as root can do so.
   */
  void giveTo(RunAs user) throws IOException {
    Files.setAttribute(path, "unix:gid", user.group(), LinkOption.NOFOLLOW_LINKS);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x---"));
    for (LogStream stream : LogStream.values()) {
      give(output(stream), user);
    }
    if (Files.exists(stdin(), LinkOption.NOFOLLOW_LINKS)) {
      give(stdin(), user);
    }
    give(progress(), user);
    if (Files.exists(values(), LinkOption.NOFOLLOW_LINKS)) {
      give(values(), user);
    }
    give(work(), user);
  }

  /** Gives a user one file or folder, never what a link leads to. */
  static void give(Path file, RunAs user) throws IOException {
    Files.setAttribute(file, "unix:gid", user.group(), LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(file, "unix:uid", user.user(), LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Creates the files of the outputs and of the progress if they are missing, readable by the
   * agent's user only.
   */
  void createOutputs() throws IOException {
    for (LogStream stream : LogStream.values()) {
      createEmpty(output(stream));
    }
    createEmpty(progress());
  }

  /** Creates the file of output values if it is missing, readable by the agent's user only. */
  void createValues() throws IOException {
    createEmpty(values());
  }

  private void createEmpty(Path file) throws IOException {
    try {
      UntrustedFile.createNew(file).close();
    } catch (FileAlreadyExistsException startedBefore) {
      LOGGER.debug("attempt {} has its {} already", id, file.getFileName());
    }
  }

  /** Records that the end has been reported, so that recovery skips this attempt. */
  public void markReported() throws IOException {
    try {
      UntrustedFile.createNew(reportedMark()).close();
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

  /**
   * Deletes {@code work} and all in it, as {@link #delete} does, the progress and output values.
   */
  public void deleteWork() throws IOException {
    TreeDeletion.delete(work());
    Files.deleteIfExists(progress());
    Files.deleteIfExists(values());
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

  /** The length of an output in bytes, including what was dropped; 0 without a file. */
  public long size(LogStream stream) throws IOException {
    Path file = output(stream);
    try {
      return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Files.size(file) : 0;
    } catch (NoSuchFileException removedMeanwhile) {
      return 0;
    }
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
}
