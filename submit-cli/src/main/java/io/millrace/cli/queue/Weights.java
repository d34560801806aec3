package io.millrace.cli.queue;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Weights in words. */
final class Weights {
  private Weights() {}

  /** {@code q1:500 q2:500}; a dash when there are none. */
  static String words(Map<String, Integer> weights) {
    if (weights == null || weights.isEmpty()) {
      return "-";
    }
    return new TreeMap<>(weights)
        .entrySet().stream()
            .map(share -> share.getKey() + ":" + share.getValue())
            .collect(Collectors.joining(" "));
  }
}
