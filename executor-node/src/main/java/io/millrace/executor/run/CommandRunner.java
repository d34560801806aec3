package io.millrace.executor.run;

import io.millrace.api.job.BatchInput;
import io.millrace.api.node.Assignment;
import io.millrace.api.queue.LingerDefinition;
import io.millrace.api.queue.WorkerInput;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.UntrustedFile;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
    launcher.onPool(run, record, () -> begin(run, record));
    return run;
  }

  private void begin(ProcessRun run, AttemptRecord record) throws IOException {
    String input = record.assignment().spec().stdin();
    if (input != null) {
      AttemptDirectory directory = launcher.directory(record.attempt());
      directory.create();
      UntrustedFile.replace(directory.stdin(), input.getBytes(StandardCharsets.UTF_8));
    }
    launcher.launch(run, record, environment(record.assignment()), Optional.empty());
  }

  private static Map<String, String> environment(Assignment assignment) {
    BatchInput input = assignment.spec().input();
    Map<String, String> environment = new HashMap<>();
    if (input != null) {
      environment.put("MILLRACE_QUEUE", input.queue());
    }
    if (input != null && input.input() == WorkerInput.PULL) {
      environment.put("MILLRACE_URL", assignment.queueNode().toString());
      environment.put("MILLRACE_TOKEN", assignment.workerToken());
      environment.put("MILLRACE_BATCH", Integer.toString(input.batch()));
    }
    if (input != null && input.linger() != null) {
      LingerDefinition linger = input.linger();
      environment.put("MILLRACE_LINGER_EVENTS", Integer.toString(linger.capacity(input.batch())));
      environment.put("MILLRACE_LINGER_SECONDS", seconds(linger.maxTime()));
      environment.put("MILLRACE_LINGER_IDLE_SECONDS", seconds(linger.idle()));
    }
    return environment;
  }

  /** As programs read it best: {@code 60}, {@code 0.5}. */
  private static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
  }
}
