package io.millrace.cli.job;

import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "cancel",
    description = "Ends a job: TERM, then KILL; a waiting one never starts.",
    footer = {"", "Example:", "  millrace job cancel 17"})
final class CancelCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "ID", arity = "1..*", description = "The jobs' numbers.")
  private List<Long> ids;

  CancelCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    for (long id : ids) {
      JobView job = invocation.central().cancel(id);
      if (invocation.json()) {
        invocation.terminal().json(job);
      } else {
        invocation.terminal().line("job " + id + " is " + JobWords.word(job.state()));
      }
    }
    return 0;
  }
}
