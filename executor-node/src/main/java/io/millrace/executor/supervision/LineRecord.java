package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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

  /** The record in a file; empty when there is none, or not a whole one. */
  static Optional<LineRecord> read(Path file) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > LONGEST) {
      return Optional.empty();
    }
    List<String> lines =
        new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
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
    StringBuilder text = new StringBuilder();
    values.forEach(
        (key, value) -> text.append(key).append('=').append(oneLine(value)).append('\n'));
    text.append(COMPLETE).append('\n');
    Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** The lines that are no {@code key=value}, but for the last of all. */
  String bareLines() {
    return values.getOrDefault(BARE, "");
  }

  /**
   * Writes a new file beside it and moves that over whatever has the name, so that whoever reads
   * meanwhile finds the one or the other. What is there is never opened: the attempt may have put a
   * pipe there, which would block the writer for ever, or a link to a file that is not its own.
   */
  void write(Path file) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.deleteIfExists(part);
    create(part);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  Optional<String> text(String key) {
    return Optional.ofNullable(values.get(key));
  }

  /** A whole number; empty when it is missing or is none, as in a record that was tampered with. */
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
