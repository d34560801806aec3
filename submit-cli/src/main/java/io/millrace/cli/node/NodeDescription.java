package io.millrace.cli.node;

import io.millrace.api.MessageText;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.ExecutionNodeView.DenylistEntry;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Describes one node: fields, segments or attributes, and decisions. Used once. */
final class NodeDescription {
  private static final int MAX_ATTEMPTS = 20;
  private static final long NOTABLE_OFFSET_MILLIS = 1000;

  private final Nodes nodes;
  private final Instant now;
  private final FieldList fields;

  NodeDescription(Nodes nodes, Instant now, Palette palette) {
    this.nodes = nodes;
    this.now = now;
    this.fields = new FieldList(palette);
  }

  /** A queue node, with the latest decisions about its weight. */
  List<String> lines(QueueNodeView node, List<BalancingDecisionView> decisions) {
    fields.title("queue node " + node.name());
    fields.value("address", node.address());
    fields.value("status", NodeFormatter.status(node, now));
    fields.value("state", NodeFormatter.state(node));
    fields.value("heard", Ages.took(node.silentSeconds()) + " ago");
    load(node.load());
    fields.value(
        "capacity",
        NodeFormatter.signal(node.capacity())
            + ", configured "
            + NodeFormatter.signal(node.configuredCapacity()));
    fields.value("points", Figures.count(nodes.pointsOf(node.name())));
    fields.value("events", Figures.count(node.unfinished()) + " unfinished");
    fields.value(
        "shortage", node.shortage() == null ? null : Cell.of(node.shortage(), Style.WARNING));
    for (Alert alert : nodes.alertsAbout(node.name())) {
      fields.value("alert", Cell.of(alert.message(), Style.BAD));
    }
    fields.table("Segments", segments(node));
    fields.table("Latest decisions", DecisionTable.of(decisions, now));
    return fields.lines();
  }

  private void load(NodeLoad load) {
    if (load == null) {
      return;
    }
    fields.value(
        "load",
        "%s (cpu %s, store %s, disk %s)"
            .formatted(
                NodeFormatter.signal(load.load()),
                NodeFormatter.signal(load.cpu()),
                NodeFormatter.signal(load.store()),
                NodeFormatter.signal(load.disk())));
    fields.value("load reason", load.reason());
  }

  private static Table segments(QueueNodeView node) {
    Table table =
        new Table(
            Column.left("QUEUE", 24),
            Column.right("POINTS"),
            Column.right("LOAD"),
            Column.right("IN/S"),
            Column.right("OUT/S"),
            Column.right("STORE"),
            Column.right("WAITING"),
            Column.right("LEASED"),
            Column.right("DEAD"),
            Column.right("OLDEST"),
            Column.left("PROBLEM", 60));
    for (SegmentFigures segment : node.segments()) {
      table.row(
          segment.queue(),
          segment.weight(),
          NodeFormatter.percent(segment.load().share()),
          Figures.rate(segment.load().puts()),
          Figures.rate(segment.load().gets()),
          NodeFormatter.signal(segment.load().storeSeconds()),
          segment.waiting() + segment.delayed(),
          segment.leased(),
          segment.dead() == 0 ? Cell.of(0) : Cell.of(Figures.count(segment.dead()), Style.BAD),
          segment.waiting() == 0 ? "-" : Ages.took(segment.oldestSeconds()),
          Cell.of(segment.trouble() == null ? "" : segment.trouble(), Style.BAD));
    }
    return table;
  }

  /** An execution node. */
  List<String> lines(ExecutionNodeView node) {
    fields.title("execution node " + node.name());
    fields.value("address", node.address());
    fields.value("version", node.version());
    fields.value("status", NodeFormatter.status(node, now));
    fields.value("state", node.accepting() ? null : NodeFormatter.state(node));
    fields.value("heard", Ages.took(node.silentSeconds()) + " ago");
    fields.value("clock", clock(node));
    capacity(node);
    fields.value("attempts", attempts(node));
    fields.value("waits for", waitsFor(node));
    for (Alert alert : nodes.alertsAbout(node.name())) {
      fields.value("alert", Cell.of(alert.message(), Style.BAD));
    }
    fields.table("Attributes and labels", attributes(node));
    Table closures = closures(node);
    fields.table("Denied definitions", closures);
    if (!closures.isEmpty()) {
      fields.note("end a denial with 'millrace node allow %s DEFINITION'".formatted(node.name()));
    }
    return fields.lines();
  }

  private void capacity(ExecutionNodeView node) {
    fields.value("slots", node.usedSlots() + " of " + node.capacity().slots() + " in use");
    fields.value("cpus", NodeFormatter.cpus(node));
    fields.value("memory", NodeFormatter.memory(node));
    fields.value("offered", NodeFormatter.offered(node));
    fields.value("resources", NodeFormatter.resources(node));
    fields.value("pools", String.join(", ", node.pools()));
    fields.value(
        "accepts",
        node.capacity().onlyAsked() ? "only jobs that request one of its resources" : null);
  }

  private static Cell clock(ExecutionNodeView node) {
    Long offset = node.clockOffsetMillis();
    if (offset == null) {
      return null;
    }
    String difference =
        offset == 0
            ? "in step with the database"
            : "%s %s the database"
                .formatted(
                    Ages.took(Duration.ofMillis(Math.abs(offset))),
                    offset < 0 ? "behind" : "ahead of");
    boolean notable = Math.abs(offset) >= NOTABLE_OFFSET_MILLIS;
    return Cell.of(difference, notable ? Style.WARNING : Style.PLAIN);
  }

  /** {@code 3: 17.1 18.1 20.2}. */
  private static String attempts(ExecutionNodeView node) {
    List<AttemptId> attempts = node.attempts();
    int rest = attempts.size() - MAX_ATTEMPTS;
    return attempts.size()
        + (attempts.isEmpty() ? "" : ": ")
        + attempts.stream()
            .limit(MAX_ATTEMPTS)
            .map(AttemptId::toString)
            .collect(Collectors.joining(" "))
        + (rest > 0 ? " and " + rest + " more" : "");
  }

  /** What its drain waits for; null if for jobs, which end by themselves. */
  private static Cell waitsFor(ExecutionNodeView node) {
    if (!node.onlyManagersLeft()) {
      return null;
    }
    List<String> causes = new ArrayList<>();
    if (node.silent()) {
      causes.add("a report of the node, silent for " + Ages.took(node.silentSeconds()));
    }
    if (node.stoppingManagers() > 0) {
      causes.add("the end of %s asked to stop".formatted(managers(node.stoppingManagers())));
    }
    int left = node.managers() - node.stoppingManagers();
    if (left > 0) {
      causes.add(
          "another node of pool %s to take the %s left on it; start or undrain one"
              .formatted(String.join(" or ", node.pools()), managers(left)));
    }
    return Cell.of(String.join("; ", causes), Style.WARNING);
  }

  private static String managers(int count) {
    return MessageText.counted(count, "queue or task manager");
  }

  private static Table attributes(ExecutionNodeView node) {
    Table table = new Table(Column.left("NAME", 32), Column.left("VALUE", 80));
    Map<String, String> all = node.attributes() == null ? Map.of() : node.attributes();
    new TreeMap<>(all).forEach(table::row);
    return table;
  }

  private Table closures(ExecutionNodeView node) {
    Table table =
        new Table(
            Column.left("DEFINITION", 40),
            Column.right("FAILURES"),
            Column.right("DENIED FOR"),
            Column.left("LAST FAILURE", 60));
    List<DenylistEntry> closures = node.closures() == null ? List.of() : node.closures();
    for (DenylistEntry closure : closures) {
      table.row(
          closure.definition(),
          closure.quickFailures(),
          Ages.between(now, closure.until()),
          closure.reason());
    }
    return table;
  }
}
