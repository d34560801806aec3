package io.millrace.cli.queue;

import io.millrace.api.event.QueueActionAnswer;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "requeue",
    description = "Gives dead letters another life, with their failures forgotten.",
    footer = {
      "",
      "Examples:",
      "  millrace queue dead requeue alert --handle q1/17",
      "  millrace queue dead requeue alert --reason 'connection refused' --max 1000",
      "  millrace queue dead requeue alert --all"
    })
final class DeadRequeueCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Mixin private final DeadOptions options = new DeadOptions();

  DeadRequeueCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    QueueActionAnswer answer = invocation.central().requeue(queue, options.selection());
    if (invocation.json()) {
      invocation.terminal().json(answer);
    } else {
      invocation.terminal().line(Figures.count(answer.events()) + " dead letters requeued");
    }
    Unreached.note(invocation, answer.unreached());
    return 0;
  }
}
