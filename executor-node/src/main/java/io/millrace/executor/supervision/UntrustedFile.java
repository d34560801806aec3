package io.millrace.executor.supervision;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and writes files that an attempt may replace at any time: by a pipe, which blocks on
 * opening, by a link to another file, or by an endless file. Stateless and thread-safe; all methods
 * block for the disk, and throw {@link IOException} when it fails.
 */
public final class UntrustedFile {
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private UntrustedFile() {}

  /**
   * Opens a file to be read. A pipe is opened for writing as well, because then Linux does not wait
   * for another writer; it has the size 0, and reading at most the size never blocks.
   */
  static SeekableByteChannel open(Path file) throws IOException {
    return Files.newByteChannel(
        file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
  }

  /**
   * All that is in a file; empty when there is none, when it is not an ordinary file, or when it is
   * too long.
   *
   * @param longest in bytes
   */
  public static Optional<byte[]> read(Path file, int longest) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try (SeekableByteChannel channel = open(file)) {
      long size = channel.size();
      return size > longest ? Optional.empty() : Optional.of(read(channel, (int) size));
    } catch (NoSuchFileException removedMeanwhile) {
      return Optional.empty();
    }
  }

  /**
   * The last bytes of a file; empty when there is none, or when it is not an ordinary file.
   *
   * @param most in bytes
   */
  public static Optional<byte[]> tail(Path file, int most) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try (SeekableByteChannel channel = open(file)) {
      long size = channel.size();
      channel.position(Math.max(0, size - most));
      return Optional.of(read(channel, (int) Math.min(most, size)));
    } catch (NoSuchFileException removedMeanwhile) {
      return Optional.empty();
    }
  }

  private static byte[] read(SeekableByteChannel channel, int size) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(size);
    while (content.hasRemaining() && channel.read(content) >= 0) {
      // Until everything was read, or the file was truncated meanwhile.
    }
    return Arrays.copyOf(content.array(), content.position());
  }

  /**
   * Makes a new file in place of what has its name, which is deleted and never opened. It is
   * readable by the agent's user only.
   */
  public static OutputStream create(Path file) throws IOException {
    Files.deleteIfExists(file);
    return createNew(file);
  }

  /**
   * Makes a new file, readable by the agent's user only.
   *
   * @throws java.nio.file.FileAlreadyExistsException if anything of that name is there
   */
  static OutputStream createNew(Path file) throws IOException {
    return Channels.newOutputStream(
        Files.newByteChannel(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY));
  }

  /**
   * Writes a new file next to it and renames it over the old one, so that concurrent readers find
   * one or the other.
   */
  public static void replace(Path file, byte[] content) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (OutputStream out = create(part)) {
      out.write(content);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
