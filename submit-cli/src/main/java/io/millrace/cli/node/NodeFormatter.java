package io.millrace.cli.node;

import io.millrace.api.NodeStatus;
import io.millrace.api.Sizes;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Formats the states and figures of nodes. */
final class NodeFormatter {
  private NodeFormatter() {}

  /**
   * The state of a queue node's load; {@code silent} if it is expected to report and does not,
   * {@code withdrawn} if its reports are refused.
   */
  static Cell state(QueueNodeView node) {
    if (node.withdrawn()) {
      return Cell.of("withdrawn", Style.BAD);
    }
    if (node.live()) {
      return node.load() == null ? Cell.of("-") : loaded(node.load().state());
    }
    boolean expected = node.status() == NodeStatus.ACTIVE || node.status() == NodeStatus.DRAINING;
    return expected ? Cell.of("silent", Style.BAD) : Cell.of("-");
  }

  /** One of the five statuses of a node. */
  static Cell status(NodeStatus status) {
    Style style =
        switch (status) {
          case ACTIVE -> Style.GOOD;
          case DRAINING, DRAINED, MAINTENANCE -> Style.WARNING;
          case LOST -> Style.BAD;
        };
    return Cell.of(lowerCase(status), style);
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static Cell loaded(NodeState state) {
    Style style =
        switch (state) {
          case IDLE -> Style.FAINT;
          case NORMAL -> Style.GOOD;
          case BUSY -> Style.WARNING;
          case TOOBUSY -> Style.BAD;
        };
    return Cell.of(lowerCase(state), style);
  }

  /** That the disk of an execution node is full. */
  static Cell state(ExecutionNodeView node) {
    return node.status() == NodeStatus.ACTIVE && !node.accepting()
        ? Cell.of("full", Style.BAD)
        : Cell.of("-");
  }

  /** The status of a node with its end and reason. */
  static String status(ExecutionNodeView node, Instant now) {
    return status(node.status(), node.statusUntil(), node.statusReason(), now);
  }

  /** {@code 0.81}; a dash if it was not measured. */
  static String signal(Double share) {
    return share == null ? "-" : String.format(Locale.ROOT, "%.2f", share);
  }

  /** {@code 37%}. */
  static String percent(double share) {
    return Math.round(share * 100) + "%";
  }

  /** The status of a node with its end and reason. */
  static String status(QueueNodeView node, Instant now) {
    return status(node.status(), node.statusUntil(), node.statusReason(), now);
  }

  private static String status(NodeStatus status, Instant until, String reason, Instant now) {
    if (status == NodeStatus.ACTIVE || status == NodeStatus.LOST) {
      return lowerCase(status);
    }
    StringBuilder text =
        new StringBuilder(status == NodeStatus.MAINTENANCE ? "in maintenance" : lowerCase(status));
    if (until != null && until.isAfter(now)) {
      text.append(", ").append(Ages.between(now, until)).append(" remaining");
    }
    if (reason != null) {
      text.append(": ").append(reason);
    }
    return text.toString();
  }

  /** Reserved and total processors, {@code 1.5/4}; a dash if the total is unknown. */
  static String cpus(ExecutionNodeView node) {
    return node.capacity().cpus() == 0
        ? "-"
        : plain(node.usedCpus()) + "/" + plain(node.capacity().cpus());
  }

  /** Reserved and total memory, {@code 512MB/16GB}; a dash if the total is unknown. */
  static String memory(ExecutionNodeView node) {
    return node.capacity().memoryBytes() == 0
        ? "-"
        : Sizes.readable(node.usedMemoryBytes())
            + "/"
            + Sizes.readable(node.capacity().memoryBytes());
  }

  /**
   * What the node offers of its host, {@code 2 of 4 processors (50%), 7GB of 16GB memory (44%)};
   * null if its host is not known.
   */
  static String offered(ExecutionNodeView node) {
    double cpus = node.capacity().cpus();
    long memory = node.capacity().memoryBytes();
    List<String> parts = new ArrayList<>();
    hostNumber(node, "cpus")
        .filter(all -> cpus > 0)
        .ifPresent(
            all ->
                parts.add(
                    "%s of %d processors (%s)"
                        .formatted(plain(cpus), all, percent(cpus / (double) all))));
    hostNumber(node, "memory")
        .filter(all -> memory > 0)
        .ifPresent(
            all ->
                parts.add(
                    "%s of %s memory (%s)"
                        .formatted(
                            Sizes.readable(memory),
                            Sizes.readable(all),
                            percent((double) memory / all))));
    return parts.isEmpty() ? null : String.join(", ", parts) + " of this host";
  }

  // Attributes are texts that the node announces.
  private static Optional<Long> hostNumber(ExecutionNodeView node, String attribute) {
    String text = node.attributes().getOrDefault(attribute, "");
    return text.matches("[1-9]\\d{0,17}") ? Optional.of(Long.valueOf(text)) : Optional.empty();
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
