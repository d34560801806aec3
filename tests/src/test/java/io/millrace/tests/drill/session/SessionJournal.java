package io.millrace.tests.drill.session;

import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The file to which one process of a drill of sessions appends what it does: an entry is in the
 * operating system's hands when {@link #add} returns, so that kill -9 loses none. Thread-safe.
 */
final class SessionJournal implements Closeable {
  private static final String ENDING = ".journal";

  private final OutputStream file;

  private SessionJournal(OutputStream file) {
    this.file = file;
  }

  /** Opens a file of that name in the folder, to append to it. */
  static SessionJournal open(Path folder, String name) throws IOException {
    return new SessionJournal(
        // Not a channel, which an interrupted thread closes.
        new FileOutputStream(folder.resolve(name + ENDING).toFile(), true));
  }

  /** Appends an entry. */
  void add(SessionEntry entry) {
    byte[] line = (entry.line() + "\n").getBytes(StandardCharsets.UTF_8);
    synchronized (file) {
      try {
        file.write(line);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * The entries of all files of a folder in the order of their times; those of one file and time in
   * the file's order. A last line that a kill has cut off is omitted.
   *
   * @param keys the beginning of the keys to be read: those of a round
   */
  static List<SessionEntry> read(Path folder, String keys) throws IOException {
    List<SessionEntry> entries = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path one : files.filter(SessionJournal::isJournal).sorted().toList()) {
        String text = Files.readString(one);
        text.substring(0, text.lastIndexOf('\n') + 1)
            .lines()
            .filter(line -> line.contains(" " + keys))
            .map(SessionEntry::parse)
            .forEach(entries::add);
      }
    }
    entries.sort(Comparator.comparingDouble(SessionEntry::at));
    return entries;
  }

  private static boolean isJournal(Path file) {
    return file.getFileName().toString().endsWith(ENDING);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
