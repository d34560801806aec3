package io.millrace.executor.run;

import io.millrace.api.Json;
import io.millrace.api.event.DeliveredEvent;
import io.millrace.api.node.Assignment;
import io.millrace.executor.batch.BatchCalls;
import io.millrace.executor.batch.BatchLeasing;
import io.millrace.executor.batch.LeasedBatch;
import io.millrace.executor.batch.LeasedEvents;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.UntrustedFile;
import io.millrace.platform.clock.Clock;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs a worker on a batch of events that this node leases for it. Without events no process is
 * started. The events are a file that is complete before the start, so that a worker that never
 * reads cannot block anybody.
 */
final class WorkerRunner implements Runner {
  private final ProcessLauncher launcher;
  private final BatchLeasing leasing;
  private final BatchCalls calls;
  private final Clock clock;

  WorkerRunner(ProcessLauncher launcher, BatchCalls calls, Clock clock) {
    this.launcher = launcher;
    this.leasing = new BatchLeasing(calls);
    this.calls = calls;
    this.clock = clock;
  }

  @Override
  public Run start(AttemptRecord record) {
    ProcessRun run = new ProcessRun(record.attempt());
    launcher.onPool(run, record, () -> begin(run, record));
    return run;
  }

  private void begin(ProcessRun run, AttemptRecord record) throws IOException {
    Optional<LeasedEvents> leased = leasing.lease(record.assignment());
    if (leased.isEmpty()) {
      run.result().complete(RunResults.idle(record, clock.now()));
      return;
    }
    LeasedBatch batch = new LeasedBatch(leased.get().record(), calls);
    AttemptDirectory directory = launcher.directory(record.attempt());
    try {
      directory.create();
      KeptFile.BATCH.write(directory, leased.get().record());
      write(leased.get().events(), directory);
    } catch (IOException e) {
      launcher.neverStarted(run, record, batch, "cannot write the events of the batch: " + e);
      return;
    }
    launcher.launch(run, record, environment(record.assignment(), batch), Optional.of(batch));
  }

  private static void write(List<DeliveredEvent> events, AttemptDirectory directory)
      throws IOException {
    try (OutputStream out = new BufferedOutputStream(UntrustedFile.create(directory.stdin()))) {
      for (DeliveredEvent event : events) {
        out.write(Json.writeBytes(event.withoutReceipt()));
        out.write('\n');
      }
    }
  }

  private static Map<String, String> environment(Assignment assignment, LeasedBatch batch) {
    Map<String, String> environment = new HashMap<>();
    environment.put("MILLRACE_URL", assignment.queueNode().toString());
    environment.put("MILLRACE_QUEUE", assignment.spec().input().queue());
    environment.put("MILLRACE_EVENTS", Integer.toString(batch.size()));
    return environment;
  }
}
