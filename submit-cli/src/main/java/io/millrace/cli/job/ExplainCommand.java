package io.millrace.cli.job;

import io.millrace.api.job.JobExplanation;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "explain",
    description = "Tells why a job waits, what each node says to it, and what it waited for.",
    footer = {
      "",
      "Examples:",
      "  millrace job explain 17",
      "  millrace job explain '17[3]' --json",
      "",
      "What it waited for is kept after it ended."
    })
final class ExplainCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedJob job = new NamedJob();

  ExplainCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    long id = job.id(invocation);
    JobExplanation explanation = invocation.central().explain(id);
    invocation.answer(
        explanation,
        () ->
            invocation
                .terminal()
                .lines(
                    new ExplanationDescription(explanation, invocation.now(), invocation.palette())
                        .lines()));
    return 0;
  }
}
