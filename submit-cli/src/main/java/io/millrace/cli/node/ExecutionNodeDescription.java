package io.millrace.cli.node;

import io.millrace.api.insight.Alert;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.DenylistEntry;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All about one execution node on one page. */
final class ExecutionNodeDescription {
  private static final int MOST_ATTEMPTS = 20;
  private static final long NOTABLE_OFFSET_MILLIS = 1000;

  private final Nodes nodes;
  private final ExecutionNodeView node;
  private final Instant now;
  private final FieldList sheet;

  ExecutionNodeDescription(Nodes nodes, ExecutionNodeView node, Instant now, Palette palette) {
    this.nodes = nodes;
    this.node = node;
    this.now = now;
    this.sheet = new FieldList(palette);
  }

  List<String> lines() {
    sheet.title("execution node " + node.name());
    sheet.value("address", node.address());
    sheet.value("version", node.version());
    sheet.value("state", NodeFormatter.state(node));
    sheet.value("duty", NodeFormatter.duty(node, now));
    sheet.value("heard", Ages.took(node.silentSeconds()) + " ago");
    sheet.value("clock", clock());
    capacity();
    sheet.value("attempts", attempts());
    for (Alert alert : nodes.alertsAbout(node.name())) {
      sheet.value("alert", Cell.of(alert.message(), Style.BAD));
    }
    sheet.table("Attributes and labels", attributes());
    sheet.table("Closed to", closures());
    return sheet.lines();
  }

  private void capacity() {
    sheet.value("slots", node.usedSlots() + " of " + node.capacity().slots() + " in use");
    sheet.value("cpus", Capacities.cpus(node));
    sheet.value("memory", Capacities.memory(node));
    sheet.value("resources", Capacities.resources(node));
    sheet.value("pools", String.join(", ", node.pools()));
    sheet.value("takes", node.capacity().onlyAsked() ? "only jobs that ask for it" : null);
  }

  private Cell clock() {
    Long offset = node.clockOffsetMillis();
    if (offset == null) {
      return null;
    }
    String words = (offset < 0 ? "" : "+") + offset + "ms against the database's";
    boolean notable = Math.abs(offset) >= NOTABLE_OFFSET_MILLIS;
    return Cell.of(words, notable ? Style.WARNING : Style.PLAIN);
  }

  /** {@code 3: 17.1 18.1 20.2}. */
  private String attempts() {
    List<AttemptId> attempts = node.attempts();
    int rest = attempts.size() - MOST_ATTEMPTS;
    return attempts.size()
        + (attempts.isEmpty() ? "" : ": ")
        + attempts.stream()
            .limit(MOST_ATTEMPTS)
            .map(AttemptId::toString)
            .collect(Collectors.joining(" "))
        + (rest > 0 ? " and " + rest + " more" : "");
  }

  private Table attributes() {
    Table table = new Table(Column.left("NAME", 32), Column.left("VALUE", 80));
    Map<String, String> all = node.attributes() == null ? Map.of() : node.attributes();
    new TreeMap<>(all).forEach(table::row);
    return table;
  }

  private Table closures() {
    Table table =
        new Table(
            Column.left("DEFINITION", 40),
            Column.right("FAILURES"),
            Column.right("TRIED IN"),
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
