package io.millrace.cli.job;

import io.millrace.api.job.JobDetails;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "show",
    description = "Shows all about a job: what it runs, its attempts and its history.",
    footer = {"", "Examples:", "  millrace job show 17", "  millrace job show '17[3]'"})
final class ShowCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedJob job = new NamedJob();

  ShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    JobDetails details = invocation.central().job(job.id(invocation));
    invocation.answer(
        details,
        () ->
            invocation
                .terminal()
                .lines(
                    new JobDescription(details, invocation.now(), invocation.palette()).lines()));
    return 0;
  }
}
