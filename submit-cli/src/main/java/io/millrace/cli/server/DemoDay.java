package io.millrace.cli.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/**
 * The day that is replayed: how many events of each queue came in which slot of five minutes.
 *
 * @param start the first slot's first minute
 * @param slots number of slots
 * @param queues in the order of the file
 */
record DemoDay(LocalDateTime start, int slots, List<DemoQueue> queues) {
  /** Length of a slot. */
  static final Duration SLOT = Duration.ofMinutes(5);

  DemoDay {
    queues = List.copyOf(queues);
  }

  /** Reads the CSV: {@code start,queue:SYMBOL,…} and a line for each slot. */
  static DemoDay read(Path csv) throws IOException {
    List<String> lines = Files.readAllLines(csv).stream().filter(line -> !line.isBlank()).toList();
    String[] header = lines.get(0).split(",", -1);
    List<String[]> rows = lines.stream().skip(1).map(line -> line.split(",", -1)).toList();
    List<DemoQueue> queues = new ArrayList<>();
    for (int column = 1; column < header.length; column++) {
      String[] name = header[column].split(":", 2);
      List<Integer> counts = new ArrayList<>();
      for (String[] row : rows) {
        counts.add(Integer.valueOf(row[column]));
      }
      queues.add(new DemoQueue(name[0], name[1], counts));
    }
    return new DemoDay(LocalDateTime.parse(rows.get(0)[0]), rows.size(), queues);
  }

  long events() {
    return queues.stream().mapToLong(DemoQueue::events).sum();
  }

  double seconds() {
    return slots * (double) SLOT.toSeconds();
  }

  /**
   * One queue's day.
   *
   * @param name the queue
   * @param symbol what its events are about
   * @param counts events of each slot
   */
  record DemoQueue(String name, String symbol, List<Integer> counts) {
    DemoQueue {
      counts = List.copyOf(counts);
    }

    long events() {
      return counts.stream().mapToLong(Integer::intValue).sum();
    }

    /** The id of an event; numbers start at 1. */
    String id(long number) {
      return String.format(java.util.Locale.ROOT, "%s-%06d", name, number);
    }
  }
}
