package io.millrace.cli.task;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.TaskClient;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails;
import io.millrace.api.task.TaskRunView.TaskRunDetails.FailedChunk;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Escaping;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "run",
    description = "Runs a task now, or reruns the failed work of its last run.",
    footer = {
      "",
      "Examples:",
      "  millrace task run nightly",
      "  millrace task run nightly --wait --timeout 2h",
      "  millrace task run nightly --failed",
      "  millrace task run nightly --env DAY=2026-03-01 --arg --full",
      "",
      "--env adds variables to the environment of all jobs of the run, or replaces them; --arg"
          + " appends",
      "arguments to the command of its workers. Nothing else of the definition changes. They are"
          + " shown with",
      "the run, except values whose names look like those of secrets. A rerun with --failed has"
          + " the",
      "variables and arguments of the run that it repeats.",
      "With --wait, the exit code is 0 if the run succeeded, 1 if not, and 124 if --timeout"
          + " expired;",
      "120 to 125 are errors of the command itself."
    })
final class RunCommand implements Callable<Integer> {
  private static final Duration MAX_POLL = Duration.ofSeconds(10);

  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "Name of the task.")
  private String name;

  @Option(names = "--failed", description = "Rerun the failed work of the last run.")
  private boolean failed;

  @Option(
      names = "--env",
      paramLabel = "K=V",
      description = "Environment variable of this run; may be repeated.")
  private final Map<String, String> env = new LinkedHashMap<>();

  @Option(
      names = "--arg",
      paramLabel = "TEXT",
      description = "Argument that is appended to the command of this run; may be repeated.")
  private final List<String> arguments = new ArrayList<>();

  @Option(names = "--wait", description = "Wait until the run has ended.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "With --wait: maximum time to wait, such as 5m.")
  private Duration timeout;

  RunCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    if (wait) {
      invocation.exitAsJob();
    }
    OptionRefusal.unless(timeout == null || wait, "--timeout", "requires --wait");
    OptionRefusal.unless(
        !failed || (env.isEmpty() && arguments.isEmpty()),
        "--failed",
        "the rerun has the parameters of its run; remove --env and --arg");
    RunParameters parameters = new RunParameters(env, arguments);
    TaskClient tasks = invocation.central().tasks();
    TaskRunView run = failed ? tasks.retry(lastFailed(tasks)) : tasks.run(name, parameters);
    if (!wait) {
      invocation.report(run, RunFormatter.ending(run));
      return 0;
    }
    TaskRunDetails ended = ended(tasks, run.id());
    invocation.answer(ended, () -> print(ended));
    return ended.run().state() == RunState.SUCCEEDED ? 0 : 1;
  }

  private long lastFailed(TaskClient tasks) {
    TaskRunView last = tasks.show(name).last();
    if (last == null || (last.state() != RunState.FAILED && last.state() != RunState.STOPPED)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          last == null
              ? "task %s has no runs yet".formatted(name)
              : "the last run of %s is in state %s; --failed requires a failed or stopped one"
                  .formatted(name, RunFormatter.lowerCase(last.state())));
    }
    return last.id();
  }

  private TaskRunDetails ended(TaskClient tasks, long id) {
    long started = invocation.clock().nanoTime();
    TaskRunDetails details = tasks.await(id, pollTimeout(started));
    while (!details.run().state().ended()) {
      if (timeout != null && pollTimeout(started).isZero()) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "run %d is still running after %s and continues"
                .formatted(id, Durations.format(timeout)));
      }
      details = tasks.await(id, pollTimeout(started));
    }
    return details;
  }

  private Duration pollTimeout(long started) {
    if (timeout == null) {
      return MAX_POLL;
    }
    Duration left = timeout.minusNanos(invocation.clock().nanoTime() - started);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(MAX_POLL) < 0 ? left : MAX_POLL;
  }

  private void print(TaskRunDetails ended) {
    invocation.line(Escaping.text(RunFormatter.ending(ended.run())));
    for (FailedChunk chunk : ended.failedChunks()) {
      String what = chunk.chunk() == null ? "worker " + chunk.position() : chunk.chunk();
      String job = chunk.job() == null ? "" : " (job " + chunk.job() + ")";
      String reason = chunk.reason() == null ? "" : ": " + chunk.reason();
      invocation.note("  " + Escaping.text(what + job + reason));
    }
  }
}
