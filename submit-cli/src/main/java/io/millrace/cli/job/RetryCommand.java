package io.millrace.cli.job;

import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "retry",
    description = "Runs a failed or cancelled job again.",
    footer = {"", "Example:", "  millrace job retry 17"})
final class RetryCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "ID", arity = "1..*", description = "The jobs' numbers.")
  private List<Long> ids;

  RetryCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    for (long id : ids) {
      JobView job = invocation.central().retry(id);
      if (invocation.json()) {
        invocation.terminal().json(job);
      } else {
        invocation.terminal().line("job " + id + " is " + JobWords.word(job.state()));
      }
    }
    return 0;
  }
}
