package io.millrace.cli.node;

import io.millrace.api.node.ExecutionNodeView;
import io.millrace.cli.output.Figures;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is booked of what an execution node has, in words; a dash for what it does not state. */
final class Capacities {
  private Capacities() {}

  /** {@code 1.5/4}. */
  static String cpus(ExecutionNodeView node) {
    return node.capacity().cpus() == 0
        ? "-"
        : plain(node.usedCpus()) + "/" + plain(node.capacity().cpus());
  }

  /** {@code 512MB/16GB}. */
  static String memory(ExecutionNodeView node) {
    return node.capacity().memoryBytes() == 0
        ? "-"
        : Figures.bytes(node.usedMemoryBytes())
            + "/"
            + Figures.bytes(node.capacity().memoryBytes());
  }

  /** {@code gpu 1/2, tape 0/1}; null for none. */
  static String resources(ExecutionNodeView node) {
    Map<String, Integer> used = node.usedResources() == null ? Map.of() : node.usedResources();
    Map<String, Integer> all = new TreeMap<>(node.capacity().resources());
    return all.isEmpty()
        ? null
        : all.entrySet().stream()
            .map(
                one ->
                    one.getKey() + " " + used.getOrDefault(one.getKey(), 0) + "/" + one.getValue())
            .collect(Collectors.joining(", "));
  }

  private static String plain(double cpus) {
    return cpus == Math.rint(cpus)
        ? String.valueOf((long) cpus)
        : String.format(Locale.ROOT, "%.2f", cpus);
  }
}
