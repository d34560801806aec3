package io.millrace.cli.queue;

import io.millrace.api.client.Listing;
import io.millrace.api.event.PeekedEvent;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "peek",
    description = "Looks at a queue's unfinished events without taking them.",
    footer = {
      "",
      "Examples:",
      "  millrace queue peek alert",
      "  millrace queue peek alert --state delayed --limit 5 --json"
    })
final class PeekCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--state", description = "Only ready, delayed or leased ones.")
  private String state;

  @Option(
      names = "--limit",
      defaultValue = "20",
      description = "At most so many (default: ${DEFAULT-VALUE}).")
  private int limit;

  PeekCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Listing<PeekedEvent> listing = invocation.central().peek(queue, limit, state);
    if (invocation.json()) {
      invocation.terminal().json(listing.found());
    } else {
      invocation.print(table(listing.found()), "no unfinished events");
    }
    Unreached.note(invocation, listing.unreached());
    return 0;
  }

  private static Table table(List<PeekedEvent> events) {
    Table table =
        new Table(
            Column.left("ID", 40),
            Column.left("NODE", 24),
            Column.left("STATE"),
            Column.right("HELD FOR"),
            Column.right("PRIORITY"),
            Column.right("AGE"),
            Column.right("DELIVERED"),
            Column.right("FAILED"),
            Column.left("DATA", 60));
    for (PeekedEvent event : events) {
      table.row(
          event.id(),
          event.node(),
          event.state(),
          event.heldSeconds() <= 0 ? "-" : Ages.took(event.heldSeconds()),
          event.priority(),
          Ages.took(event.ageSeconds()),
          event.deliveries(),
          event.failures(),
          String.valueOf(event.data()));
    }
    return table;
  }
}
