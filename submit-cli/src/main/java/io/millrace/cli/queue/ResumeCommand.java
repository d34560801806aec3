package io.millrace.cli.queue;

import io.millrace.api.queue.PauseRequest;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "resume",
    description = "Lets a paused queue go on.",
    footer = {
      "",
      "Examples:",
      "  millrace queue resume alert",
      "  millrace queue resume alert --consuming"
    })
final class ResumeCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--sending", description = "Only sending: producers are welcome again.")
  private boolean sending;

  @Option(names = "--consuming", description = "Only consuming: workers get events again.")
  private boolean consuming;

  ResumeCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    // Naming neither means both.
    boolean both = sending == consuming;
    PauseRequest request = new PauseRequest(both || sending, both || consuming, null);
    Controls.tell(invocation, queue, invocation.central().resume(queue, request));
    return 0;
  }
}
