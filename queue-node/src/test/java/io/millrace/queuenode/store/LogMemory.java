package io.millrace.queuenode.store;

import io.millrace.queuenode.store.log.Disk.ChannelDisk;
import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Measures the heap that waiting events take: {@code LogMemory FOLDER [EVENTS] [QUEUES]}. The
 * events come one at a time, for the queues in turn, which takes the most memory.
 */
final class LogMemory {
  private static final byte[] DATA = "x".repeat(200).getBytes(StandardCharsets.UTF_8);
  private static final int TOGETHER = 100;

  private LogMemory() {}

  public static void main(String[] arguments) throws IOException {
    int events = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5_000_000;
    int queues = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    long before = used();
    long begun = System.nanoTime();
    try (LogRows rows = open(folder)) {
      fill(rows, events, queues);
      print("after putting " + events + " events for " + queues + " queues", used() - before);
      print("seconds", (System.nanoTime() - begun) / 1_000_000_000);
    }
    begun = System.nanoTime();
    try (LogRows rows = open(folder)) {
      print("milliseconds to open", (System.nanoTime() - begun) / 1_000_000);
      print("after opening anew", used() - before);
      print("bytes on disk", rows.diskBytes());
    }
  }

  private static LogRows open(Path folder) throws IOException {
    return new LogRows(
        StoreFolder.lock(folder),
        new ChannelDisk(),
        LogSettings.in(folder),
        SegmentStore.defaultRememberedBatches());
  }

  /** Puts ready events, one for each queue in turn. */
  static void fill(LogRows rows, int events, int queues) {
    for (int queue = 1; queue <= queues; queue++) {
      rows.addQueue("queue-" + queue, 0);
    }
    for (int i = 0; i < events; i++) {
      long seq = rows.lastSeq() + 1;
      NewEvent event = new NewEvent("event-" + seq, DATA, null);
      DeliveryState delivery =
          DeliveryState.fresh(seq, 1 + i % queues, event, 1_700_000_000_000L + i);
      rows.insert(List.of(new Rows.Row(delivery, event)));
      if (i % TOGETHER == TOGETHER - 1) {
        rows.commit();
      }
    }
    rows.commit();
    rows.force();
  }

  /** Bytes of the heap in use after a collection. */
  static long used() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static void print(String what, long value) {
    System.out.printf(Locale.ROOT, "%-50s %,15d%n", what, value);
  }
}
