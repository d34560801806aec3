package io.millrace.cli.node;

import io.millrace.api.node.ExecutionNodeState;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeDuty;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeStatus;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** States of nodes in words and colours. */
final class NodeFormatter {
  private NodeFormatter() {}

  /** What matters most of a queue node: whether it is there, what operators want, how loaded. */
  static Cell state(QueueNodeView node) {
    if (node.lost()) {
      return Cell.of("lost", Style.BAD);
    }
    if (node.standing() == QueueNodeStatus.MAINTENANCE) {
      return Cell.of("maintenance", Style.WARNING);
    }
    if (!node.live()) {
      return Cell.of("silent", Style.BAD);
    }
    if (node.standing() == QueueNodeStatus.DRAINING) {
      return Cell.of("draining", Style.WARNING);
    }
    return node.load() == null ? Cell.of("-") : loaded(node.load().state());
  }

  private static Cell loaded(NodeState state) {
    Style style =
        switch (state) {
          case IDLE -> Style.FAINT;
          case NORMAL -> Style.GOOD;
          case BUSY -> Style.WARNING;
          case TOOBUSY -> Style.BAD;
        };
    return Cell.of(state.name().toLowerCase(Locale.ROOT), style);
  }

  /** What matters most of an execution node: whether it is there, and takes jobs. */
  static Cell state(ExecutionNodeView node) {
    if (node.standing() != ExecutionNodeState.EMPLOYED) {
      boolean away = node.duty() == NodeDuty.MAINTENANCE;
      return away ? Cell.of("maintenance", Style.WARNING) : Cell.of("retired", Style.BAD);
    }
    if (node.duty() == NodeDuty.DRAINING) {
      return Cell.of("draining", Style.WARNING);
    }
    if (node.duty() == NodeDuty.MAINTENANCE) {
      return Cell.of("maintenance", Style.WARNING);
    }
    return node.accepting() ? Cell.of("employed", Style.GOOD) : Cell.of("full", Style.BAD);
  }

  /** What operators want of it, with until when and why; null for nothing special. */
  static String duty(ExecutionNodeView node, Instant now) {
    if (node.duty() == null || node.duty() == NodeDuty.ACTIVE) {
      return null;
    }
    String what = node.duty() == NodeDuty.MAINTENANCE ? "in maintenance" : "draining";
    return wanted(what, node.dutyUntil(), node.dutyReason(), now);
  }

  /** {@code 0.81}; a dash for what is not measured. */
  static String signal(Double share) {
    return share == null ? "-" : String.format(Locale.ROOT, "%.2f", share);
  }

  /** {@code 37%}. */
  static String percent(double share) {
    return Math.round(share * 100) + "%";
  }

  /** What operators want of it, with until when and why; null for nothing special. */
  static String standing(QueueNodeView node, Instant now) {
    if (node.standing() == null || node.standing() == QueueNodeStatus.ACTIVE) {
      return null;
    }
    boolean away = node.standing() == QueueNodeStatus.MAINTENANCE;
    return wanted(
        away ? "in maintenance" : "draining", node.maintenanceUntil(), node.standingReason(), now);
  }

  private static String wanted(String what, Instant until, String reason, Instant now) {
    StringBuilder words = new StringBuilder(what);
    if (until != null && until.isAfter(now)) {
      words.append(", ").append(Ages.between(now, until)).append(" more");
    }
    if (reason != null) {
      words.append(": ").append(reason);
    }
    return words.toString();
  }

  /** Processors booked of those it has, {@code 1.5/4}; a dash for what it does not state. */
  static String cpus(ExecutionNodeView node) {
    return node.capacity().cpus() == 0
        ? "-"
        : plain(node.usedCpus()) + "/" + plain(node.capacity().cpus());
  }

  /** Memory booked of what it has, {@code 512MB/16GB}; a dash for what it does not state. */
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
