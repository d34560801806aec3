package io.millrace.cli.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ids of acknowledged events, one per line. Each queue's ids are there in order and without
 * gaps, so that their number tells where to go on. Written at once, so that it survives kill -9 of
 * the process (not the loss of the machine). Thread-safe.
 */
final class Journal implements AutoCloseable {
  private final Path path;
  private final FileChannel channel;
  private final Map<String, Long> acknowledged = new HashMap<>();

  private Journal(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /** Opens the journal and counts what is in it; half a line at its end is cut off. */
  static Journal open(Path path) throws IOException {
    Files.createDirectories(path.toAbsolutePath().getParent());
    FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    Journal journal = new Journal(path, channel);
    journal.count();
    return journal;
  }

  private void count() throws IOException {
    String text = Files.readString(path, StandardCharsets.US_ASCII);
    int whole = text.lastIndexOf('\n') + 1;
    text.substring(0, whole)
        .lines()
        .map(id -> id.substring(0, id.lastIndexOf('-')))
        .forEach(queue -> acknowledged.merge(queue, 1L, Long::sum));
    channel.truncate(whole);
    channel.position(whole);
  }

  Path path() {
    return path;
  }

  /** How many events of a queue are acknowledged. */
  synchronized long of(String queue) {
    return acknowledged.getOrDefault(queue, 0L);
  }

  synchronized long total() {
    return acknowledged.values().stream().mapToLong(Long::longValue).sum();
  }

  synchronized void append(String queue, List<String> ids) throws IOException {
    ByteBuffer lines =
        ByteBuffer.wrap((String.join("\n", ids) + "\n").getBytes(StandardCharsets.US_ASCII));
    while (lines.hasRemaining()) {
      channel.write(lines);
    }
    acknowledged.merge(queue, (long) ids.size(), Long::sum);
  }

  @Override
  public synchronized void close() throws IOException {
    channel.close();
  }
}
