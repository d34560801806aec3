package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.Disk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Creates logs of small files, and inspects them. */
final class LogFolderFixture {
  static final int FILE_BYTES = 16 << 10;
  static final int QUEUE = 1;

  /** Batch names remembered. */
  static final int NAMES = 1_000;

  private static final int FILE_HEADER = 64;
  private static final int GROUP_HEADER = 33;
  private static final int MANY = 100_000;

  private LogFolderFixture() {}

  static LogRows open(Path folder, Disk disk) throws IOException {
    StoreFolder held = StoreFolder.lock(folder);
    try {
      return new LogRows(held, disk, LogSettings.in(folder).withFiles(FILE_BYTES), NAMES);
    } catch (IOException | RuntimeException e) {
      held.close();
      throw e;
    }
  }

  static LogRows open(Path folder) throws IOException {
    return open(folder, new DyingDisk());
  }

  /** Commits and forces a batch of ready events. */
  static List<DeliveryState> put(LogRows rows, int queue, int count, String data) {
    List<DeliveryState> put = insert(rows, queue, count, data);
    rows.commit();
    rows.force();
    return put;
  }

  static List<DeliveryState> insert(LogRows rows, int queue, int count, String data) {
    while (rows.queues().size() < queue) {
      rows.addQueue("queue-" + rows.queues().size(), 0);
    }
    long next = rows.lastSeq() + 1;
    List<Rows.Row> fresh =
        IntStream.range(0, count)
            .mapToObj(
                i -> {
                  byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
                  NewEvent event = new NewEvent("event-" + (next + i), bytes, null);
                  return new Rows.Row(DeliveryState.fresh(next + i, queue, event, 1_000), event);
                })
            .toList();
    rows.insert(fresh);
    return fresh.stream().map(Rows.Row::delivery).toList();
  }

  static void finish(LogRows rows, List<DeliveryState> ready) {
    rows.delete(EventState.READY, ready);
    rows.commit();
    rows.force();
  }

  static List<String> ids(LogRows rows, int queue) {
    return rows.ready(queue, null, MANY).stream().map(row -> row.event().id()).toList();
  }

  /** As a crash leaves it: a copy of the files of a store that is still open. */
  static Path copy(Path folder, Path copy) throws IOException {
    Files.createDirectories(copy);
    for (Path file : files(folder)) {
      Files.copy(file, copy.resolve(file.getFileName()));
    }
    return copy;
  }

  /** Content of every file by name. */
  static Map<String, ByteBuffer> content(Path folder) throws IOException {
    Map<String, ByteBuffer> content = new TreeMap<>();
    for (Path file : files(folder)) {
      content.put(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
    }
    return content;
  }

  static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> !file.endsWith("lock")).sorted().toList();
    }
  }

  static List<Path> logs(Path folder) throws IOException {
    return files(folder).stream()
        .filter(file -> file.getFileName().toString().matches("\\d{12}\\.log"))
        .toList();
  }

  /** Offsets at which the groups of a file begin, and the end of the last. */
  static List<Integer> groups(Path log) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log));
    List<Integer> offsets = new ArrayList<>();
    int at = FILE_HEADER;
    while (at < bytes.limit() && bytes.get(at) == 'G') {
      offsets.add(at);
      at += GROUP_HEADER + bytes.getInt(at + 1);
    }
    offsets.add(at);
    return offsets;
  }

  static void flip(Path file, int offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= 0x10;
    Files.write(file, bytes);
  }
}
