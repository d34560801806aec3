package io.millrace.cli.migration;

import io.millrace.cli.migration.DagNode.NodeScript;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The commands of a DAG file about nodes, which may come before those nodes in the file: PARENT,
 * VARS, RETRY, SCRIPT, PRIORITY, CATEGORY, DONE, ABORT-DAG-ON, PRE_SKIP. Not thread-safe.
 */
final class DagCommands {
  private static final long MAX_EDGES = 10_000_000;
  private static final int MAX_RETRIES = 10_000;
  private static final int MAX_PRIORITY = 1_000_000;

  private final ImportFindings findings;
  private long edges;
  private boolean failFast;

  DagCommands(ImportFindings findings) {
    this.findings = findings;
  }

  /** Whether a command asks that no further step starts once one has failed. */
  boolean failFast() {
    return failFast;
  }

  /** Whether it is one of these commands. */
  static boolean knows(String command) {
    return switch (command) {
      case "PARENT",
          "VARS",
          "RETRY",
          "SCRIPT",
          "PRIORITY",
          "CATEGORY",
          "DONE",
          "ABORT-DAG-ON",
          "PRE_SKIP" ->
          true;
      default -> false;
    };
  }

  void apply(DagScope scope, String place, String line) {
    List<String> words = DagmanFile.words(line);
    switch (words.get(0).toUpperCase(Locale.ROOT)) {
      case "PARENT" -> edges(scope, place, words);
      case "VARS" ->
          new DagVariables(place, line, findings).apply(word -> scope.named(place, word));
      case "RETRY" -> retry(scope, place, words);
      case "SCRIPT" -> script(scope, place, words);
      case "PRIORITY" -> {
        if (has(place, words, 3, "PRIORITY NAME NUMBER")) {
          int priority = number(place, words.get(2), -MAX_PRIORITY, MAX_PRIORITY);
          scope.named(place, words.get(1)).forEach(node -> node.priority = priority);
        }
      }
      case "CATEGORY" -> {
        if (has(place, words, 3, "CATEGORY NAME CATEGORY")) {
          scope.named(place, words.get(1)).forEach(node -> node.category = words.get(2));
        }
      }
      case "DONE" -> {
        if (has(place, words, 2, "DONE NAME")) {
          scope.named(place, words.get(1)).forEach(node -> node.done = true);
        }
      }
      case "ABORT-DAG-ON" -> abort(scope, place, words);
      default -> {
        if (has(place, words, 3, "PRE_SKIP NAME CODE")) {
          int code = number(place, words.get(2), 1, 255);
          scope.named(place, words.get(1)).forEach(node -> node.skipCode = code);
        }
      }
    }
  }

  private void edges(DagScope scope, String place, List<String> words) {
    int child = 1;
    while (child < words.size() && !words.get(child).equalsIgnoreCase("CHILD")) {
      child++;
    }
    if (child == 1 || child >= words.size() - 1) {
      findings.problem(place, "is incomplete; write 'PARENT A B CHILD C D'");
      return;
    }
    List<DagNode> parents = new ArrayList<>();
    List<DagNode> children = new ArrayList<>();
    words.subList(1, child).forEach(word -> parents.addAll(scope.members(place, word).last()));
    words
        .subList(child + 1, words.size())
        .forEach(word -> children.addAll(scope.members(place, word).first()));
    long before = edges;
    edges += (long) parents.size() * children.size();
    if (edges > MAX_EDGES) {
      if (before <= MAX_EDGES) {
        findings.problem(
            place,
            "more than %d dependencies; let many parents have one child with NOOP, which is the"
                + " parent of the rest",
            MAX_EDGES);
      }
      return;
    }
    for (DagNode one : children) {
      if (one.last || parents.stream().anyMatch(parent -> parent.last)) {
        findings.problem(place, "the FINAL node has no parents and children; remove it here");
      } else {
        one.waitFor(parents);
      }
    }
  }

  // RETRY name number [UNLESS-EXIT code]
  private void retry(DagScope scope, String place, List<String> words) {
    if (!has(place, words, 3, "RETRY NAME NUMBER [UNLESS-EXIT CODE]")) {
      return;
    }
    int retries = number(place, words.get(2), 0, MAX_RETRIES);
    Integer unless = null;
    if (words.size() == 5 && words.get(3).equalsIgnoreCase("UNLESS-EXIT")) {
      unless = number(place, words.get(4), 1, 255);
    } else if (words.size() > 3) {
      findings.problem(place, "'%s' is not known here; use UNLESS-EXIT CODE", words.get(3));
    }
    for (DagNode node : scope.named(place, words.get(1))) {
      node.retries = retries;
      node.unlessExit = unless;
    }
  }

  // SCRIPT [DEFER code seconds] [DEBUG file what] PRE|POST|HOLD name program arguments
  private void script(DagScope scope, String place, List<String> words) {
    int at = 1;
    while (at + 3 < words.size()
        && (words.get(at).equalsIgnoreCase("DEFER") || words.get(at).equalsIgnoreCase("DEBUG"))) {
      if (words.get(at).equalsIgnoreCase("DEFER")) {
        findings.problem(
            place,
            "DEFER has no equivalent: let the script wait by itself, or use RETRY for the node");
      } else {
        findings.note(place, "DEBUG is not used: the output is that of the step");
      }
      at += 3;
    }
    if (words.size() < at + 3) {
      findings.problem(place, "is incomplete; write 'SCRIPT PRE|POST NAME PROGRAM'");
      return;
    }
    String when = words.get(at).toUpperCase(Locale.ROOT);
    NodeScript script = new NodeScript(words.get(at + 2), words.subList(at + 3, words.size()));
    switch (when) {
      case "PRE" -> scope.named(place, words.get(at + 1)).forEach(node -> node.pre = script);
      case "POST" -> scope.named(place, words.get(at + 1)).forEach(node -> node.post = script);
      case "HOLD" -> findings.note(place, "SCRIPT HOLD is not used: steps are not held");
      default -> findings.problem(place, "'%s': use PRE or POST", when);
    }
  }

  // ABORT-DAG-ON name code [RETURN code]
  private void abort(DagScope scope, String place, List<String> words) {
    if (!has(place, words, 3, "ABORT-DAG-ON NAME CODE [RETURN CODE]")) {
      return;
    }
    int code = number(place, words.get(2), 0, 255);
    List<DagNode> meant = scope.named(place, words.get(1));
    if (code == 0) {
      findings.problem(
          place, "ABORT-DAG-ON with code 0: a step that succeeds cannot end the workflow");
    } else if (!meant.isEmpty()) {
      meant.forEach(node -> node.abortCode = code);
      failFast = true;
      findings.note(
          place,
          "ABORT-DAG-ON becomes failFast: no further step starts once any step has failed; steps"
              + " that run continue, and the codes of RETURN are not used");
    }
  }

  boolean has(String place, List<String> words, int least, String form) {
    if (words.size() < least) {
      findings.problem(place, "is incomplete; write '%s'", form);
    }
    return words.size() >= least;
  }

  int number(String place, String word, int least, int most) {
    try {
      int number = Integer.parseInt(word);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    findings.problem(place, "'%s': use a number from %d to %d", word, least, most);
    return least;
  }
}
