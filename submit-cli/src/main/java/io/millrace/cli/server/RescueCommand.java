package io.millrace.cli.server;

import io.millrace.cli.invocation.Invocation;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Sends the events of a dead queue node's store to the cluster. */
@Command(
    name = "rescue",
    description = {
      "Sends the events in the store of a dead queue node to the cluster, under their own ids.",
      "It may be interrupted and repeated. The node must not run, and must not be started on this"
          + " store while its events are sent."
    },
    footer = {
      "",
      "Examples:",
      "  millrace queue-node rescue --data /mnt/q3 --dry-run",
      "  millrace queue-node rescue --data /mnt/q3"
    })
public final class RescueCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "The dead node's data directory.")
  private Path data;

  @Option(
      names = "--to",
      paramLabel = "URL",
      description = "A load balancer; those that the central manager knows if not given.")
  private URI to;

  @Option(names = "--include-dead", description = "Send dead letters too, as ordinary events.")
  private boolean includeDead;

  @Option(names = "--dry-run", description = "Only show what is there.")
  private boolean dryRun;

  @Option(
      names = "--patience",
      paramLabel = "DURATION",
      defaultValue = "10m",
      description = "How long a batch waits while the cluster has no room (${DEFAULT-VALUE}).")
  private Duration patience;

  public RescueCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws InterruptedException {
    // The rescue's own classes are not there for commands that only ask servers.
    return new RescueRun(invocation, new RescueRun.Wish(data, to, includeDead, patience))
        .run(dryRun);
  }
}
