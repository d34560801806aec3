package io.millrace.cli.migration;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The rescue DAG that DAGMan wrote when a run of a DAG failed: which nodes are done. */
final class RescueDag {
  private static final int MAX = 999;

  private final DagScope scope;
  private final ImportFindings findings;
  private final Map<String, DagNode> byName = new HashMap<>();

  /** One for the nodes of a file, all of which have been read. */
  RescueDag(DagScope scope, ImportFindings findings) {
    this.scope = scope;
    this.findings = findings;
    scope.all().forEach(node -> byName.put(node.name, node));
  }

  /** The suffix of the newest one beside a DAG file; empty if there is none. */
  static Optional<String> newest(Path file) {
    for (int number = MAX; number >= 1; number--) {
      String suffix = String.format(Locale.ROOT, ".rescue%03d", number);
      if (Files.isRegularFile(file.resolveSibling(file.getFileName() + suffix))) {
        return Optional.of(suffix);
      }
    }
    return Optional.empty();
  }

  /** Marks the nodes that a line says are done; returns how many. */
  int mark(String place, String line) {
    List<String> words = DagmanFile.words(line);
    boolean job = words.size() > 2 && words.get(0).matches("(?i)JOB|NODE");
    boolean marks =
        (words.size() == 2 && words.get(0).equalsIgnoreCase("DONE"))
            || (job && words.get(words.size() - 1).equalsIgnoreCase("DONE"));
    if (!marks) {
      return 0;
    }
    String name = words.get(1);
    List<DagNode> meant =
        scope.nested(name)
            ? scope.all().stream()
                .filter(node -> node.name.startsWith(scope.prefix + name + "+"))
                .toList()
            : Optional.ofNullable(byName.get(scope.prefix + name)).map(List::of).orElse(List.of());
    if (meant.isEmpty()) {
      findings.problem(
          place,
          "there is no node %s; is this the rescue DAG of another file? Use --no-rescue without it",
          name);
    }
    meant.forEach(node -> node.done = true);
    return meant.size();
  }
}
