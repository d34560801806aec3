package io.millrace.cli.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.AttemptOutput;
import io.millrace.cli.job.JobSection;
import io.millrace.cli.job.Sinks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "logs",
    description = "Prints the outputs of a run of a task: failed jobs first, then the newest.",
    footer = {
      "",
      "Examples:",
      "  millrace task logs nightly",
      "  millrace task logs nightly --run 17 --limit 100",
      "  millrace task logs nightly --failed --tail 20",
      "",
      "Shows the jobs that list chunks, that do the work and that verify. With --json, each line"
          + " of output",
      "is an object."
    })
final class TaskLogsCommand implements Callable<Integer> {
  private static final int MAX = 1000;

  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "Name of the task.")
  private String name;

  @Option(
      names = "--run",
      paramLabel = "RUN",
      description = "Number of the run (default: the current run, or else the last one).")
  private Long run;

  @Option(names = "--failed", description = "Only failed jobs.")
  private boolean failed;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "Maximum number of jobs (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "Only the last N lines of each stream of a job.")
  private Integer tail;

  @Option(names = "--raw", description = "Do not escape control characters on a terminal.")
  private boolean raw;

  TaskLogsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    OptionRefusal.outside("--limit", limit, 1, MAX);
    OptionRefusal.outside("--run", run, 1, Long.MAX_VALUE);
    OptionRefusal.outside("--tail", tail, 0, AttemptOutput.MAX_TAIL);
    TaskRunView shown = run == null ? newest() : ofTask(run);
    if (shown.workflow() != null) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "run %1$d of %2$s is workflow %3$d; 'millrace workflow logs %3$d STEP' prints the output of a step, 'millrace workflow errors %3$d' that of failed ones"
              .formatted(shown.id(), name, shown.workflow().id()));
    }
    Sinks sinks = Sinks.forTerminal(invocation.terminal(), invocation.json(), raw);
    JobSection section =
        new JobSection(invocation, new AttemptOutput(invocation.central(), sinks, tail));
    List<JobView> jobs = new ArrayList<>();
    boolean more = add(jobs, shown.id(), "state:failed");
    if (!failed && !more) {
      more = add(jobs, shown.id(), "-state:failed");
    }
    int printed = 0;
    for (JobView job : jobs) {
      if (job.attempt() > 0) {
        section.print(job.name(), job);
        printed++;
      }
    }
    if (printed == 0) {
      invocation.note(
          "run %d of %s has no %sjobs with output"
              .formatted(shown.id(), name, failed ? "failed " : ""));
    }
    if (more) {
      invocation.note(
          ("only %d jobs are shown; see the others with --limit, or list them with"
                  + " 'millrace job list run:%d'")
              .formatted(jobs.size(), shown.id()));
    }
    return 0;
  }

  /** Adds jobs up to the limit; returns whether there may be more. */
  private boolean add(List<JobView> jobs, long id, String term) {
    int room = limit - jobs.size();
    if (room <= 0) {
      return true;
    }
    CentralClient central = invocation.central();
    String search = ApiClient.encode("run:" + id + " kind:submitted " + term);
    JobPage page = central.jobs("search=" + search + "&limit=" + room);
    jobs.addAll(page.jobs());
    return page.next() != null;
  }

  private TaskRunView newest() {
    TaskView task = invocation.central().tasks().show(name);
    TaskRunView shown = task.current() == null ? task.last() : task.current();
    if (shown == null) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_RUN,
          "task %s has not run yet; start a run with 'millrace task run %s'".formatted(name, name));
    }
    return shown;
  }

  private TaskRunView ofTask(long id) {
    TaskRunView shown = invocation.central().tasks().details(id).run();
    if (!shown.task().equals(name)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_RUN,
          "run %d is a run of %s, not of %s; use 'millrace task logs %s --run %d'"
              .formatted(id, shown.task(), name, shown.task(), id));
    }
    return shown;
  }
}
