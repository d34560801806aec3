package io.millrace.cli.queue;

import io.millrace.api.event.PurgeRequest;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "purge",
    description = "Deletes a queue's events; those that workers have in hand stay.",
    footer = {
      "",
      "Without --waiting, --delayed or --dead the waiting and the delayed ones are meant.",
      "",
      "Examples:",
      "  millrace queue purge alert",
      "  millrace queue purge alert --dead --yes"
    })
final class PurgeCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--waiting", description = "Events that are ready.")
  private boolean waiting;

  @Option(names = "--delayed", description = "Events that are not ready yet.")
  private boolean delayed;

  @Option(names = "--dead", description = "Dead letters.")
  private boolean dead;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  PurgeCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    boolean usual = !waiting && !delayed && !dead;
    PurgeRequest request = new PurgeRequest(queue, usual || waiting, usual || delayed, dead);
    if (!yes) {
      new Confirmation(invocation)
          .require(
              "deletes all " + kinds(request) + " events of queue " + queue + ", for good",
              "the queue's name",
              queue);
    }
    QueueActionAnswer answer = invocation.central().purge(queue, request);
    if (invocation.json()) {
      invocation.terminal().json(answer);
    } else {
      invocation.terminal().line(Figures.count(answer.events()) + " events deleted");
    }
    Unreached.note(invocation, answer.unreached());
    return 0;
  }

  private static String kinds(PurgeRequest request) {
    List<String> kinds = new ArrayList<>();
    if (request.waiting()) {
      kinds.add("waiting");
    }
    if (request.delayed()) {
      kinds.add("delayed");
    }
    if (request.dead()) {
      kinds.add("dead");
    }
    return String.join(" and ", kinds);
  }
}
