package io.millrace.cli.node;

import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.overview.Alert;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Sheet;
import io.millrace.cli.output.Style;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** All about one execution node on one page. */
final class ExecutionNodeSheet {
  private final Nodes nodes;
  private final ExecutionNodeView node;
  private final Sheet sheet;

  ExecutionNodeSheet(Nodes nodes, ExecutionNodeView node, Palette palette) {
    this.nodes = nodes;
    this.node = node;
    this.sheet = new Sheet(palette);
  }

  List<String> lines() {
    sheet.title("execution node " + node.name());
    sheet.value("address", node.address());
    sheet.value("state", NodeWords.state(node));
    sheet.value("heard", Ages.took(node.silentSeconds()) + " ago");
    sheet.value("slots", node.usedSlots() + " of " + node.capacity().slots() + " in use");
    sheet.value("pools", String.join(", ", node.pools()));
    sheet.value(
        "attributes",
        new TreeMap<>(node.attributes())
            .entrySet().stream()
                .map(attribute -> attribute.getKey() + "=" + attribute.getValue())
                .collect(Collectors.joining(" ")));
    sheet.value("attempts", node.attempts().size());
    for (Alert alert : nodes.alertsAbout(node.name())) {
      sheet.value("alert", Cell.of(alert.message(), Style.BAD));
    }
    return sheet.lines();
  }
}
