package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.job.AttemptId;
import io.millrace.bench.process.Rate;
import io.millrace.bench.process.WorkerThreads;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.SupervisedProcess;
import io.millrace.executor.supervision.SupervisionSettings;
import io.millrace.executor.supervision.Supervisor;
import io.millrace.platform.clock.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The supervisor of execution nodes with its scripts, records and logs, but without the rest of the
 * platform: the upper limit for supervised jobs.
 */
final class SupervisedReference implements AutoCloseable {
  private final Supervisor supervisor;
  private final int atATime;
  private final Clock clock;
  private final AtomicLong ids = new AtomicLong();

  SupervisedReference(Path folder, int atATime, Clock clock) {
    this.supervisor =
        new Supervisor(
            folder.resolve("reference"),
            folder.resolve("reference/attempts"),
            UUID.randomUUID(),
            System.getenv(),
            SupervisionSettings.defaults(),
            clock);
    this.atATime = atATime;
    this.clock = clock;
  }

  /** Processes per second from start to recorded end. */
  double perSecond(List<String> command, int starts) throws InterruptedException {
    long last = ids.get() + starts;
    return Rate.perSecond(
        clock,
        starts,
        () -> {
          WorkerThreads threads = new WorkerThreads("reference");
          threads.start(atATime, number -> startUntil(command, last));
          threads.await();
        });
  }

  private void startUntil(List<String> command, long last) {
    for (long id = ids.incrementAndGet(); id <= last; id = ids.incrementAndGet()) {
      run(new AttemptId(id, 1), command);
    }
    // Threads that found no number left return theirs.
    ids.updateAndGet(issued -> Math.min(issued, last));
  }

  /** Runs one process to its end; returns its files. */
  AttemptDirectory run(List<String> command) {
    AttemptId id = new AttemptId(ids.incrementAndGet(), 1);
    run(id, command);
    return supervisor.directory(id);
  }

  private void run(AttemptId id, List<String> command) {
    SupervisedProcess process =
        supervisor.start(
            new CommandOrder(
                id, command, Map.of(), Optional.empty(), Duration.ZERO, Duration.ofSeconds(10)));
    CommandEnd ending = process.ending().join();
    if (ending.kind() != CommandEnd.Kind.EXITED || ending.exitCode().orElse(-1) != 0) {
      throw new MillraceException(ErrorCode.INTERNAL, "a reference job failed: " + ending.reason());
    }
  }

  @Override
  public void close() {
    supervisor.close();
  }
}
