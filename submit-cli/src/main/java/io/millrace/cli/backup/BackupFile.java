package io.millrace.cli.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.cli.backup.BackupManifest.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * A backup: a zip file with lines of JSON for the central database and for the store of each queue
 * node, and at last a {@link BackupManifest} with the checksum of each. One thread; blocks on the
 * disk.
 */
final class BackupFile implements AutoCloseable {
  static final String MANIFEST = "manifest.json";
  private static final int MAX_MANIFEST = 16 << 20;

  private final Path path;
  private final ZipFile zip;
  private final BackupManifest manifest;

  private BackupFile(Path path, ZipFile zip, BackupManifest manifest) {
    this.path = path;
    this.zip = zip;
    this.manifest = manifest;
  }

  /** Learns how many of the bytes in all parts, which are not compressed there, were checked. */
  interface Progress {
    void checked(long bytes, long all);
  }

  /**
   * Opens a backup and reads its manifest.
   *
   * @throws MillraceException INVALID_REQUEST if it is not a backup, not a whole one, or of a later
   *     format
   */
  static BackupFile open(Path path) throws IOException {
    if (!Files.isRegularFile(path)) {
      throw refuse(path, "there is no such file");
    }
    ZipFile zip;
    try {
      zip = new ZipFile(path.toFile());
    } catch (ZipException e) {
      throw refuse(path, "it was cut off, or is not a backup (" + e.getMessage() + ")");
    }
    try {
      return new BackupFile(path, zip, manifest(path, zip));
    } catch (IOException | RuntimeException e) {
      zip.close();
      throw e;
    }
  }

  private static BackupManifest manifest(Path path, ZipFile zip) throws IOException {
    ZipEntry entry = zip.getEntry(MANIFEST);
    if (entry == null) {
      throw refuse(path, "it has no manifest: it was cut off, or is not a backup");
    }
    byte[] text;
    try (InputStream in = zip.getInputStream(entry)) {
      text = in.readNBytes(MAX_MANIFEST);
    } catch (ZipException e) {
      throw refuse(path, "its manifest is damaged (" + e.getMessage() + ")");
    }
    Form form = json(path, text, Form.class);
    if (!BackupManifest.FORMAT.equals(form.format())) {
      throw refuse(path, "it is not a backup of Millrace");
    }
    if (form.version() != BackupManifest.VERSION) {
      throw refuse(
          path,
          "its format is version %d, and this program reads version %d; use the version of Millrace that took it"
              .formatted(form.version(), BackupManifest.VERSION));
    }
    return json(path, text, BackupManifest.class);
  }

  /** The fields that every version of the format has. */
  private record Form(String format, int version) {}

  private static <T> T json(Path path, byte[] text, Class<T> type) {
    try {
      return Json.read(text, type);
    } catch (MillraceException e) {
      throw refuse(path, "its manifest is damaged (" + e.getMessage() + ")");
    }
  }

  BackupManifest manifest() {
    return manifest;
  }

  /**
   * Reads everything and compares it with the manifest.
   *
   * @throws MillraceException INVALID_REQUEST naming the part that differs
   */
  void verify(Progress progress) throws IOException {
    Set<String> listed = manifest.parts().stream().map(Part::name).collect(Collectors.toSet());
    List<String> others =
        zip.stream()
            .map(ZipEntry::getName)
            .filter(name -> !name.equals(MANIFEST) && !listed.contains(name))
            .toList();
    if (!others.isEmpty()) {
      throw refuse(
          path, "it has a part %s that its manifest does not list".formatted(others.get(0)));
    }
    long all = manifest.parts().stream().mapToLong(Part::bytes).sum();
    long before = 0;
    for (Part part : manifest.parts()) {
      long earlier = before;
      verify(part, bytes -> progress.checked(earlier + bytes, all));
      before += part.bytes();
    }
  }

  private void verify(Part part, LongConsumer checked) throws IOException {
    MessageDigest digest = sha256();
    long bytes = 0;
    try (InputStream in = new DigestInputStream(content(part.name()), digest)) {
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        bytes += read;
        checked.accept(bytes);
      }
    } catch (IOException e) {
      throw refuse(path, "its part %s is damaged (%s)".formatted(part.name(), e.getMessage()));
    }
    if (bytes != part.bytes() || !HexFormat.of().formatHex(digest.digest()).equals(part.sha256())) {
      throw refuse(
          path, "its part %s is not what its checksum says: it is damaged".formatted(part.name()));
    }
  }

  /** Opens a part. */
  InputStream content(String part) throws IOException {
    ZipEntry entry = zip.getEntry(part);
    if (entry == null) {
      throw refuse(path, "its part %s is missing".formatted(part));
    }
    return zip.getInputStream(entry);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static MillraceException refuse(Path path, String why) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST, "the backup %s cannot be used: %s".formatted(path, why));
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
