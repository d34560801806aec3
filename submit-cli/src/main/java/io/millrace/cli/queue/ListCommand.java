package io.millrace.cli.queue;

import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.QueueView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists the queues with what waits, and how fast they are worked on.",
    footer = {"", "Example:", "  millrace queue list"})
final class ListCommand extends Listing<List<QueueView>> {
  ListCommand(Invocation invocation) {
    super(invocation, "no queues; define some with 'millrace apply -f FILE'");
  }

  @Override
  protected List<QueueView> read(CentralClient central) {
    return central.overview().queues();
  }

  @Override
  protected Table table(List<QueueView> queues) {
    Table table =
        new Table(
            Column.left("NAME", 24),
            Column.right("WAITING"),
            Column.right("OLDEST"),
            Column.right("LEASED"),
            Column.right("DEAD"),
            Column.right("IN/S"),
            Column.right("DONE/S"),
            Column.right("WORKERS"),
            Column.right("EMPTY IN"),
            Column.right("P50"),
            Column.right("P99"),
            Column.left("WEIGHTS"),
            Column.left("STATE"));
    for (QueueView queue : queues) {
      table.row(
          queue.name(),
          queue.waiting() + queue.delayed(),
          queue.waiting() == 0 ? "-" : Ages.took(queue.oldestSeconds()),
          queue.leased(),
          queue.dead() == 0 ? Cell.of(0) : Cell.of(Figures.count(queue.dead()), Style.BAD),
          Figures.rate(queue.eventRate()),
          Figures.rate(queue.doneRate()),
          queue.workersRunning() + queue.workersStarting(),
          Emptying.words(queue),
          queue.acknowledged() == 0 ? "-" : Ages.took(queue.delayP50Seconds()),
          queue.acknowledged() == 0 ? "-" : Ages.took(queue.delayP99Seconds()),
          Weights.words(queue.weights()),
          state(queue));
    }
    return table;
  }

  private static Cell state(QueueView queue) {
    if (queue.trouble() != null) {
      return Cell.of("trouble", Style.BAD);
    }
    if (queue.breaker() != null) {
      return Cell.of("breaker open", Style.BAD);
    }
    if (queue.control() != null && queue.control().paused()) {
      return Cell.of(Controls.words(queue.control()), Style.WARNING);
    }
    return queue.override() == null
        ? Cell.of("", Style.PLAIN)
        : Cell.of("limits set for a while", Style.WARNING);
  }
}
