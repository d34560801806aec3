package io.millrace.cli.job;

import io.millrace.api.job.JobEvent;
import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "history",
    description = "Lists all that happened to a job, oldest first.",
    footer = {
      "",
      "Examples:",
      "  millrace job history 17",
      "  millrace job history '17[3]' --json"
    })
final class HistoryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedJob job = new NamedJob();

  HistoryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    long id = job.id(invocation);
    List<JobEvent> history = invocation.central().job(id).history();
    invocation.answer(
        history,
        () -> invocation.print(HistoryTable.of(history), "nothing is recorded of job " + id));
    return 0;
  }
}
