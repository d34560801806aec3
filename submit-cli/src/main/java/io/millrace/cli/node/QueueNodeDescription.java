package io.millrace.cli.node;

import io.millrace.api.insight.Alert;
import io.millrace.api.queue.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.FieldList;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.time.Instant;
import java.util.List;

/** All about one queue node on one page. */
final class QueueNodeDescription {
  private final Nodes nodes;
  private final QueueNodeView node;
  private final List<BalancingDecisionView> decisions;
  private final Instant now;
  private final FieldList sheet;

  QueueNodeDescription(
      Nodes nodes,
      QueueNodeView node,
      List<BalancingDecisionView> decisions,
      Instant now,
      Palette palette) {
    this.nodes = nodes;
    this.node = node;
    this.decisions = decisions;
    this.now = now;
    this.sheet = new FieldList(palette);
  }

  List<String> lines() {
    sheet.title("queue node " + node.name());
    sheet.value("address", node.address());
    sheet.value("state", NodeFormatter.state(node));
    sheet.value("standing", NodeFormatter.standing(node, now));
    sheet.value("heard", Ages.took(node.silentSeconds()) + " ago");
    load(node.load());
    sheet.value(
        "capacity",
        NodeFormatter.signal(node.capacity())
            + ", configured "
            + NodeFormatter.signal(node.configuredCapacity()));
    sheet.value("points", Figures.count(nodes.pointsOf(node.name())));
    sheet.value("events", Figures.count(node.unfinished()) + " unfinished");
    sheet.value(
        "shortage", node.shortage() == null ? null : Cell.of(node.shortage(), Style.WARNING));
    for (Alert alert : nodes.alertsAbout(node.name())) {
      sheet.value("alert", Cell.of(alert.message(), Style.BAD));
    }
    sheet.table("Segments", segments());
    sheet.table("Latest decisions", DecisionTable.of(decisions, now));
    return sheet.lines();
  }

  private void load(NodeLoad load) {
    if (load == null) {
      return;
    }
    sheet.value(
        "load",
        NodeFormatter.signal(load.load())
            + " of cpu "
            + NodeFormatter.signal(load.cpu())
            + ", store "
            + NodeFormatter.signal(load.store())
            + ", disk "
            + NodeFormatter.signal(load.disk()));
    sheet.value("because", load.reason());
  }

  private Table segments() {
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
            Column.left("TROUBLE", 60));
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
}
