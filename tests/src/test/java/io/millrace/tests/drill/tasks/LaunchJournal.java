package io.millrace.tests.drill.tasks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What the runs wrote: each its number and its planned time, once if all is well. */
final class LaunchJournal {
  private final Map<Long, List<Instant>> lines = new TreeMap<>();

  static LaunchJournal read(Path file) throws IOException {
    LaunchJournal journal = new LaunchJournal();
    for (String line : Files.readAllLines(file)) {
      String[] words = line.split(" ", -1);
      journal.add(Long.parseLong(words[0]), Instant.parse(words[1]));
    }
    return journal;
  }

  void add(long run, Instant planned) {
    lines.computeIfAbsent(run, key -> new ArrayList<>()).add(planned);
  }

  /** The planned times that workers of a run were told. */
  List<Instant> of(long run) {
    return lines.getOrDefault(run, List.of());
  }

  Set<Long> runs() {
    return lines.keySet();
  }
}
