package io.millrace.tests.drill.check;

import io.millrace.api.job.AttemptId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What processes of jobs wrote about themselves, one line per event:
 *
 * <pre>
 * start ATTEMPT PID UPTIME NODE NAME
 * beat ATTEMPT PID UPTIME
 * end ATTEMPT PID UPTIME CODE
 * </pre>
 *
 * <p>Immutable.
 */
public final class RunJournal {
  private record Key(AttemptId attempt, long pid) {}

  private final Map<Key, ProcessRun> runs = new LinkedHashMap<>();

  private RunJournal() {}

  /** Reads a file that is no longer written. */
  public static RunJournal read(Path file) throws IOException {
    return of(Files.readAllLines(file));
  }

  /**
   * Reads lines.
   *
   * @throws IllegalArgumentException for an unknown line
   */
  public static RunJournal of(List<String> lines) {
    RunJournal journal = new RunJournal();
    lines.forEach(line -> journal.take(line.split(" ", -1)));
    return journal;
  }

  private void take(String[] words) {
    AttemptId attempt = AttemptId.parse(words[1]);
    long pid = Long.parseLong(words[2]);
    double time = Double.parseDouble(words[3]);
    Key key = new Key(attempt, pid);
    switch (words[0]) {
      case "start" ->
          runs.put(key, new ProcessRun(attempt, pid, words[4], words[5], time, time, null));
      case "beat" -> runs.computeIfPresent(key, (id, run) -> run.seenAt(time));
      case "end" ->
          runs.computeIfPresent(key, (id, run) -> run.endedAt(time, Integer.parseInt(words[4])));
      default -> throw new IllegalArgumentException("not a line of a journal: " + words[0]);
    }
  }

  /** In the order of their first lines. */
  public List<ProcessRun> runs() {
    return List.copyOf(runs.values());
  }

  /** The process of an attempt; the first one if it was wrongly started twice. */
  public Optional<ProcessRun> of(AttemptId attempt) {
    return runs.values().stream().filter(run -> run.attempt().equals(attempt)).findFirst();
  }
}
