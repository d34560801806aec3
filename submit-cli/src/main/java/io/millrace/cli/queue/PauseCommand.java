package io.millrace.cli.queue;

import io.millrace.api.queue.PauseRequest;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "pause",
    description = "Stops sending to a queue, consuming from it, or both; nothing is lost.",
    footer = {
      "",
      "Examples:",
      "  millrace queue pause alert",
      "  millrace queue pause alert --consuming --reason 'bad deploy'"
    })
final class PauseCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--sending", description = "Only sending: producers are refused.")
  private boolean sending;

  @Option(names = "--consuming", description = "Only consuming: workers get nothing.")
  private boolean consuming;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
  private String reason;

  PauseCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    // Naming neither means both.
    boolean both = sending == consuming;
    PauseRequest request = new PauseRequest(both || sending, both || consuming, reason);
    Controls.tell(invocation, queue, invocation.central().pause(queue, request));
    return 0;
  }
}
