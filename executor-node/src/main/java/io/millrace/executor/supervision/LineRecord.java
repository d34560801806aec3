package io.millrace.executor.supervision;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A small file of {@code key=value} lines that a shell can write without a helper process.
 *
 * <p>The last line is {@code complete}: a record without it was cut off, or is being written, and
 * counts as absent. That saves the rename that would otherwise make the writing atomic.
 */
record LineRecord(Map<String, String> values) {
  private static final String COMPLETE = "complete";
  private static final String BARE = "";
  private static final int LONGEST = 64 * 1024;

  LineRecord {
    values = Map.copyOf(values);
  }

  /** The record in a file; empty when there is none, or only an incomplete one. */
  static Optional<LineRecord> read(Path file) throws IOException {
    Optional<byte[]> content = UntrustedFile.read(file, LONGEST);
    if (content.isEmpty()) {
      return Optional.empty();
    }
    List<String> lines = new String(content.get(), StandardCharsets.UTF_8).lines().toList();
    if (lines.isEmpty() || !lines.get(lines.size() - 1).equals(COMPLETE)) {
      return Optional.empty();
    }
    Map<String, String> values = new HashMap<>();
    for (String line : lines.subList(0, lines.size() - 1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      } else {
        values.merge(BARE, line, (before, added) -> before + '\n' + added);
      }
    }
    return Optional.of(new LineRecord(values));
  }

  /**
   * Writes it to a new file.
   *
   * @throws java.nio.file.FileAlreadyExistsException if anything of that name is there
   */
  void create(Path file) throws IOException {
    try (OutputStream out = UntrustedFile.createNew(file)) {
      out.write(bytes());
    }
  }

  private byte[] bytes() {
    StringBuilder text = new StringBuilder();
    values.forEach(
        (key, value) -> text.append(key).append('=').append(oneLine(value)).append('\n'));
    return text.append(COMPLETE).append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  /** The lines that are not {@code key=value}, except the last one. */
  String plainLines() {
    return values.getOrDefault(BARE, "");
  }

  /** Writes it in place of whatever has the name. */
  void write(Path file) throws IOException {
    UntrustedFile.replace(file, bytes());
  }

  Optional<String> text(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /** An integer; empty when it is missing or is none, as in a record that was tampered with. */
  Optional<Long> number(String key) {
    try {
      return text(key).map(Long::valueOf);
    } catch (NumberFormatException tamperedWith) {
      return Optional.empty();
    }
  }

  private static String oneLine(String value) {
    return value.replaceAll("[\\r\\n]+", " ");
  }
}
