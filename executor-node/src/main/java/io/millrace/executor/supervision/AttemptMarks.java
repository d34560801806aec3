package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Environment variables by which every process of an attempt, wherever it has moved itself, is
 * known as one of this node's. They also let a program fence itself.
 */
record AttemptMarks(UUID node) {
  static final String ATTEMPT = "MILLRACE_ATTEMPT";
  static final String NODE = "MILLRACE_NODE";

  Map<String, String> of(AttemptId id) {
    return Map.of(ATTEMPT, id.toString(), NODE, node.toString());
  }

  /** Finds the attempt in the NUL-separated variables of a process; empty if not of this node. */
  Optional<AttemptId> read(String variables) {
    boolean ours = false;
    Optional<AttemptId> id = Optional.empty();
    for (String variable : variables.split("\0", -1)) {
      ours |= variable.equals(NODE + "=" + node);
      if (variable.startsWith(ATTEMPT + "=")) {
        id = parse(variable.substring(ATTEMPT.length() + 1));
      }
    }
    return ours ? id : Optional.empty();
  }

  private static Optional<AttemptId> parse(String text) {
    try {
      return Optional.of(AttemptId.parse(text));
    } catch (IllegalArgumentException madeUp) {
      return Optional.empty();
    }
  }
}
