package io.millrace.tests.drill.tasks;

import io.millrace.api.job.AttemptId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the runs wrote, one line each: {@code RUN PLANNED ATTEMPT UPTIME}; exactly one line for each
 * run unless a node was hit.
 */
final class LaunchJournal {
  /**
   * A process of a run.
   *
   * @param planned the planned time in its environment
   * @param attempt its attempt
   * @param at seconds since boot
   */
  record Launch(Instant planned, AttemptId attempt, double at) {}

  private final Map<Long, List<Launch>> lines = new TreeMap<>();

  static LaunchJournal read(Path file) throws IOException {
    LaunchJournal journal = new LaunchJournal();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ", -1);
      journal.add(
          Long.parseLong(words[0]),
          new Launch(
              Instant.parse(words[1]), AttemptId.parse(words[2]), Double.parseDouble(words[3])));
    }
    return journal;
  }

  void add(long run, Launch launch) {
    lines.computeIfAbsent(run, key -> new ArrayList<>()).add(launch);
  }

  /** The processes of a run, in the order of their lines. */
  List<Launch> of(long run) {
    return lines.getOrDefault(run, List.of());
  }

  Set<Long> runs() {
    return lines.keySet();
  }
}
