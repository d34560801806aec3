package io.millrace.cli.queue;

import io.millrace.api.pacing.OverrideRequest;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "set",
    description = "Sets limits of a queue for a while; they go back by themselves.",
    footer = {
      "",
      "Examples:",
      "  millrace queue set alert --max-workers 80 --for 2h --reason 'month end'",
      "  millrace queue set alert --wait-target 30s --for 1h",
      "",
      "It replaces what was set before. 'millrace queue unset NAME' ends it early; what is to stay",
      "belongs in the queue's definition."
    })
final class SetCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--max-workers", paramLabel = "COUNT", description = "Workers at the most.")
  private Integer maxWorkers;

  @Option(
      names = "--wait-target",
      paramLabel = "TIME",
      description = "How long an event may wait (policy demand).")
  private Duration waitTarget;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      required = true,
      description = "How long, such as 2h; at most 30d.")
  private Duration duration;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for others to read.")
  private String reason;

  SetCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    OverrideRequest request = new OverrideRequest(maxWorkers, waitTarget, duration, reason);
    PacingOverride override = invocation.central().override(queue, request);
    invocation.answer(
        override, () -> invocation.terminal().line(Escaping.text(queue + ": " + override.words())));
    return 0;
  }
}
