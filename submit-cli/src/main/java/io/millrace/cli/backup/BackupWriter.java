package io.millrace.cli.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.cli.backup.BackupManifest.Part;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a backup under a temporary name, readable by its owner only, and gives it its name when it
 * is whole and on the disk. What was not finished is deleted, also when a signal ends the process.
 * One thread.
 */
final class BackupWriter implements AutoCloseable {
  private final Path target;
  private final boolean overwrite;
  private final Path unfinished;
  private final FileChannel channel;
  private final ZipOutputStream zip;
  private final List<Part> parts = new ArrayList<>();
  private final Thread atExit;

  private BackupWriter(Path target, boolean overwrite, Path unfinished, FileChannel channel) {
    this.target = target;
    this.overwrite = overwrite;
    this.unfinished = unfinished;
    this.channel = channel;
    this.zip =
        new ZipOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16));
    this.atExit = new Thread(() -> delete(unfinished), "unfinished-backup");
  }

  /** Writes the content of a part and returns the number of its rows. */
  interface Content {
    long writeTo(OutputStream out) throws IOException;
  }

  /**
   * Begins a backup.
   *
   * @throws MillraceException CONFLICT if the file exists and is not to be replaced,
   *     INVALID_REQUEST if its directory does not exist
   */
  static BackupWriter create(Path target, boolean overwrite) throws IOException {
    // Nobody can prepare a file or a link under a name that nobody knows.
    return create(target, overwrite, new SecureRandom());
  }

  /** The same with the source of the random part of the temporary name. */
  static BackupWriter create(Path target, boolean overwrite, RandomGenerator random)
      throws IOException {
    if (!overwrite && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw exists(target);
    }
    requireDirectory(target.toAbsolutePath().getParent());
    Path unfinished =
        target.resolveSibling(
            "%s.%s.unfinished"
                .formatted(target.getFileName(), Long.toHexString(random.nextLong())));
    FileChannel channel =
        FileChannel.open(
            unfinished,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    BackupWriter writer = new BackupWriter(target, overwrite, unfinished, channel);
    Runtime.getRuntime().addShutdownHook(writer.atExit);
    return writer;
  }

  private static void requireDirectory(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "cannot write to %s: %s"
              .formatted(
                  directory,
                  Files.exists(directory)
                      ? "it is not a directory"
                      : "the directory does not exist"));
    }
  }

  private static MillraceException exists(Path target) {
    return new MillraceException(
        ErrorCode.CONFLICT,
        "%s exists; use another name, or replace it with --overwrite".formatted(target));
  }

  /** Adds a part. */
  Part add(String name, Content content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    Measured measured = new Measured(zip);
    OutputStream buffered = new BufferedOutputStream(measured, 1 << 16);
    long rows = content.writeTo(buffered);
    buffered.flush();
    zip.closeEntry();
    Part part = new Part(name, measured.sha256(), measured.bytes, rows);
    parts.add(part);
    return part;
  }

  /** The parts written so far. */
  List<Part> parts() {
    return List.copyOf(parts);
  }

  /**
   * Ends the backup; returns its size.
   *
   * @throws MillraceException CONFLICT if a file of its name was created meanwhile and is not to be
   *     replaced
   */
  long finish(BackupManifest manifest) throws IOException {
    zip.putNextEntry(new ZipEntry(BackupFile.MANIFEST));
    zip.write(Json.writeBytes(manifest));
    zip.closeEntry();
    zip.finish();
    zip.flush();
    channel.force(true);
    long bytes = channel.size();
    giveName();
    try (FileChannel folder = FileChannel.open(target.toAbsolutePath().getParent())) {
      folder.force(true);
    }
    return bytes;
  }

  private void giveName() throws IOException {
    if (!overwrite && linked()) {
      Files.delete(unfinished);
      return;
    }
    Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Gives the file its name as a second one, which never replaces a file; false if the file system
   * has no such names. There a file that is created in this moment is replaced.
   */
  private boolean linked() throws IOException {
    try {
      Files.createLink(target, unfinished);
      return true;
    } catch (FileAlreadyExistsException e) {
      throw exists(target);
    } catch (FileSystemException | UnsupportedOperationException e) {
      if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
        throw exists(target);
      }
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(unfinished);
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is already ending and has deleted the file.
      return;
    }
  }

  private static void delete(Path unfinished) {
    try {
      Files.deleteIfExists(unfinished);
    } catch (IOException e) {
      // It remains, as after a power failure; nobody is left whom to tell.
      return;
    }
  }

  /** Measures what is written to a part. */
  private static final class Measured extends FilterOutputStream {
    private final MessageDigest digest = BackupFile.sha256();
    private long bytes;

    Measured(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] some, int offset, int length) throws IOException {
      out.write(some, offset, length);
      digest.update(some, offset, length);
      bytes += length;
    }

    String sha256() {
      return HexFormat.of().formatHex(digest.digest());
    }
  }
}
