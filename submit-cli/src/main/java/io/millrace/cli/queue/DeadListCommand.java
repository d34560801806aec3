package io.millrace.cli.queue;

import io.millrace.api.client.Listing;
import io.millrace.api.event.DeadEvent;
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
    name = "list",
    description = "Lists a queue's dead letters, newest first.",
    footer = {"", "Example:", "  millrace queue dead list alert --limit 100"})
final class DeadListCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(
      names = "--limit",
      defaultValue = "50",
      description = "At most so many (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--before",
      paramLabel = "WHERE",
      description = "Go on where a list ended, as its last line says.")
  private String before;

  DeadListCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Listing<DeadEvent> listing = invocation.central().dead(queue, limit, before);
    if (invocation.json()) {
      invocation.terminal().json(listing);
    } else {
      invocation.print(table(listing.found()), "no dead letters");
      if (listing.next() != null) {
        invocation.terminal().note("older ones exist; see them with --before " + listing.next());
      }
    }
    Unreached.note(invocation, listing.unreached());
    return 0;
  }

  private Table table(List<DeadEvent> dead) {
    Table table =
        new Table(
            Column.left("HANDLE"),
            Column.left("ID", 40),
            Column.right("AGO"),
            Column.right("FAILED"),
            Column.right("LOST"),
            Column.left("REASON", 80));
    for (DeadEvent event : dead) {
      table.row(
          event.handle(),
          event.id(),
          Ages.since(event.diedAt(), invocation.now()),
          event.failures(),
          event.returns(),
          event.reason());
    }
    return table;
  }
}
