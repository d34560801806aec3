package io.millrace.cli.queue;

import io.millrace.api.event.DeadSelection;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "drop",
    description = "Deletes dead letters.",
    footer = {
      "",
      "Examples:",
      "  millrace queue dead drop alert --handle q1/17",
      "  millrace queue dead drop alert --older-than 7d",
      "  millrace queue dead drop alert --all --yes"
    })
final class DeadDropCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Mixin private final DeadOptions options = new DeadOptions();

  @Option(names = "--yes", description = "Do not ask, even with --all.")
  private boolean yes;

  DeadDropCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    DeadSelection selection = options.selection();
    if (selection.all() && !yes) {
      new Confirmation(invocation)
          .require(
              "deletes the dead letters of queue " + queue + ", for good",
              "the queue's name",
              queue);
    }
    QueueActionAnswer answer = invocation.central().drop(queue, selection);
    if (invocation.json()) {
      invocation.terminal().json(answer);
    } else {
      invocation.terminal().line(Figures.count(answer.events()) + " dead letters dropped");
    }
    Unreached.note(invocation, answer.unreached());
    return 0;
  }
}
