package io.millrace.cli.job;

import io.millrace.api.job.JobDetails;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows all about a job: what it runs, its attempts and its history.",
    footer = {"", "Example:", "  millrace job show 17"})
final class ShowCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "ID", description = "The job's number.")
  private long id;

  ShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    JobDetails details = invocation.central().job(id);
    if (invocation.json()) {
      invocation.terminal().json(details);
    } else {
      new JobSheet(details, invocation.now(), invocation.palette())
          .lines()
          .forEach(invocation.terminal()::line);
    }
    return 0;
  }
}
