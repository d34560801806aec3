package io.millrace.cli.queue;

import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.WeightChange;
import io.millrace.api.weight.WeightsView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "weights",
    description = "Shows a queue's 1000 weight points by node, and how they moved.",
    footer = {
      "",
      "Examples:",
      "  millrace queue weights alert",
      "  millrace queue weights alert --history --minutes 600"
    })
final class WeightsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--history", description = "Every version of the last while, newest first.")
  private boolean history;

  @Option(
      names = "--minutes",
      defaultValue = "60",
      description = "How far back the history goes (default: ${DEFAULT-VALUE}).")
  private int minutes;

  WeightsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    WeightsView view = invocation.central().weights(queue, minutes);
    if (invocation.json()) {
      invocation.terminal().json(view);
    } else if (history) {
      invocation.print(versions(view.history()), "no version in the last " + minutes + " minutes");
    } else {
      invocation.print(row(view.weights()), "no queue node holds weight of it yet");
    }
    return 0;
  }

  private static Table row(QueueWeights weights) {
    Table table = new Table(Column.left("NODE", 24), Column.right("POINTS"));
    if (weights != null) {
      new TreeMap<>(weights.points()).forEach(table::row);
    }
    return table;
  }

  private Table versions(List<WeightChange> oldestFirst) {
    Table table =
        new Table(
            Column.right("VERSION"),
            Column.right("AGO"),
            Column.left("KIND"),
            Column.left("POINTS"),
            Column.left("BECAUSE"));
    List<WeightChange> newestFirst = new ArrayList<>(oldestFirst);
    Collections.reverse(newestFirst);
    for (WeightChange change : newestFirst) {
      table.row(
          change.version(),
          Ages.since(change.at(), invocation.now()),
          change.kind() == null
              ? "-"
              : change.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          Weights.words(change.points()),
          change.reason() == null ? "" : change.reason());
    }
    return table;
  }
}
