package io.millrace.executor.run;

import io.millrace.api.job.BatchInput;
import io.millrace.api.node.Assignment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Runs a plain command, and a worker that takes its events by itself. */
final class CommandRunner implements Runner {
  private final ProcessLauncher launcher;

  CommandRunner(ProcessLauncher launcher) {
    this.launcher = launcher;
  }

  @Override
  public Run start(AttemptRecord record) {
    ProcessRun run = new ProcessRun(record.attempt());
    launcher.onPool(
        run,
        record,
        () -> launcher.launch(run, record, environment(record.assignment()), Optional.empty()));
    return run;
  }

  private static Map<String, String> environment(Assignment assignment) {
    BatchInput input = assignment.spec().input();
    Map<String, String> environment = new HashMap<>();
    if (input != null) {
      environment.put("MILLRACE_URL", assignment.queueNode().toString());
      environment.put("MILLRACE_QUEUE", input.queue());
      environment.put("MILLRACE_TOKEN", assignment.workerToken());
      environment.put("MILLRACE_BATCH", Integer.toString(input.batch()));
    }
    return environment;
  }
}
