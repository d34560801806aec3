package io.millrace.tests.drill.jobs;

import io.millrace.api.job.AttemptId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads what the jobs wrote of themselves. */
final class JobJournal {
  private final Map<AttemptId, Run> runs = new LinkedHashMap<>();

  private JobJournal() {}

  static JobJournal read(Path file) throws IOException {
    JobJournal journal = new JobJournal();
    for (String line : Files.readAllLines(file)) {
      journal.take(line.split(" ", -1));
    }
    return journal;
  }

  private void take(String[] words) {
    AttemptId attempt = AttemptId.parse(words[1]);
    switch (words[0]) {
      case "start" -> {
        double time = Double.parseDouble(words[3]);
        runs.put(attempt, new Run(attempt, Long.parseLong(words[2]), words[4], time, time, null));
      }
      case "beat" ->
          runs.computeIfPresent(attempt, (id, run) -> run.seenAt(Double.parseDouble(words[2])));
      case "end" ->
          runs.computeIfPresent(
              attempt,
              (id, run) -> run.endedAt(Double.parseDouble(words[2]), Integer.parseInt(words[3])));
      default -> throw new IllegalArgumentException("no line of a journal: " + words[0]);
    }
  }

  /** In the order of their starts. */
  List<Run> runs() {
    return List.copyOf(runs.values());
  }

  Run of(AttemptId attempt) {
    return runs.get(attempt);
  }
}
