package io.millrace.cli.job;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.JobReference;
import io.millrace.cli.invocation.WaitsForJob;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "wait",
    description = "Waits for the end of jobs and exits with their exit code (128 + n for signals).",
    footer = {
      "",
      "Examples:",
      "  millrace job wait 17 --timeout 5m",
      "  millrace job wait 17 18 '19[3]'",
      "",
      "Of several jobs, and of an array's elements, the highest code counts. 124 tells that the",
      "time was over first; 120 to 125 are the command's own errors."
    })
final class WaitCommand implements Callable<Integer>, WaitsForJob {
  private final Invocation invocation;

  @Parameters(
      paramLabel = "ID",
      arity = "1..*",
      description = "The jobs' numbers; 17[3] for element 3 of array 17.")
  private List<JobReference> jobs;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Wait no longer for all of them, such as 5m.")
  private Duration timeout;

  WaitCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public Integer call() {
    CentralClient central = invocation.central();
    List<Long> ids = new JobReferences(central).ids(jobs);
    JobAwaiter awaiter = new JobAwaiter(central, invocation.clock(), timeout);
    List<JobView> ended = ids.stream().map(id -> ended(awaiter, id)).toList();
    if (invocation.json()) {
      invocation.terminal().json(ended.size() == 1 ? ended.get(0) : ended);
    }
    EndCodes codes = new EndCodes(central);
    return ended.stream().mapToInt(codes::of).max().orElse(0);
  }

  private JobView ended(JobAwaiter awaiter, long id) {
    JobView job = awaiter.end(id);
    if (!invocation.json()) {
      invocation.terminal().note("job " + id + " " + JobFormatter.ending(job));
    }
    return job;
  }
}
