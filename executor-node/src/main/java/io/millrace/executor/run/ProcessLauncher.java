package io.millrace.executor.run;

import io.millrace.api.execution.CommandEnd;
import io.millrace.api.execution.RunningCommand;
import io.millrace.api.execution.RunningCommand.StopReason;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.executor.batch.WorkerEvents;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts that are commands: prepared and started on the pool, watched by the node's backend
 * without a thread of their own, finished on the pool.
 */
final class ProcessLauncher {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProcessLauncher.class);

  private final NodeBackend backend;
  private final LaunchPlan plan;
  private final Finisher finisher;
  private final Clock clock;
  private final Executor pool;

  ProcessLauncher(
      NodeBackend backend, LaunchPlan plan, Finisher finisher, Clock clock, Executor pool) {
    this.backend = backend;
    this.plan = plan;
    this.finisher = finisher;
    this.clock = clock;
    this.pool = pool;
  }

  /** An attempt that is about to be started, or was found. */
  ProcessRun newRun(AttemptId attempt) {
    return new ProcessRun(attempt, backend.outlivesAgent());
  }

  /** A step of an attempt on the pool. */
  interface Step {
    void run() throws IOException;
  }

  /** Runs a step on the pool; its failure ends the attempt as one that could not be started. */
  void onPool(ProcessRun run, AttemptRecord record, Step step) {
    pool.execute(
        () -> {
          try {
            step.run();
          } catch (IOException | RuntimeException e) {
            String message = e.getMessage() == null ? e.toString() : e.getMessage();
            finish(run, record, Optional.empty(), clock.now(), startFailed(message));
          }
        });
  }

  /** Like {@link #onPool}, unless this node or its backend does not run such jobs. */
  void begin(ProcessRun run, AttemptRecord record, Step step) {
    onPool(
        run,
        record,
        () -> {
          if (!refused(run, record, Optional.empty())) {
            step.run();
          }
        });
  }

  /** Ends the attempt as refused, and returns its events, if this node does not run such jobs. */
  private boolean refused(ProcessRun run, AttemptRecord record, Optional<WorkerEvents> batch) {
    JobSpec spec = record.assignment().spec();
    Optional<String> refusal = plan.refusal(spec).or(() -> backend.refusal(spec));
    if (refusal.isEmpty()) {
      return false;
    }
    LOGGER.warn("attempt {} is refused: {}", record.attempt(), refusal.get());
    CommandEnd ending = ending(CommandEnd.Kind.REFUSED, refusal.get());
    finish(run, record, batch, ending.endedAt(), ending);
    return true;
  }

  AttemptDirectory directory(AttemptId attempt) {
    return backend.directory(attempt);
  }

  /**
   * Starts the process. Blocks for the time of a process start; called on the pool.
   *
   * @param environment set by Millrace, besides what the job asks for
   */
  void launch(
      ProcessRun run,
      AttemptRecord record,
      Map<String, String> environment,
      Optional<WorkerEvents> batch) {
    Optional<StopReason> stopped = run.stopAsked();
    if (stopped.isPresent()) {
      CommandEnd ending = ending(CommandEnd.Kind.STOPPED, "stopped: " + stopped.get().text());
      finish(run, record, batch, clock.now(), ending);
      return;
    }
    // Again, because a worker may have waited for its events for long.
    if (refused(run, record, batch)) {
      return;
    }
    try {
      AttemptDirectory directory = directory(record.attempt());
      directory.create();
      KeptFile.ASSIGNMENT.write(directory, record);
      RunningCommand process =
          backend.start(plan.launch(record.attempt(), record.assignment().spec(), environment));
      batch.ifPresent(events -> events.started(process));
      follow(run, record, batch, process);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("attempt {} could not be started", record.attempt(), e);
      finish(run, record, batch, clock.now(), startFailed(String.valueOf(e.getMessage())));
    }
  }

  /** Ends an attempt that could not be started, and returns its events; called on the pool. */
  void neverStarted(ProcessRun run, AttemptRecord record, WorkerEvents batch, String message) {
    finish(run, record, Optional.of(batch), clock.now(), startFailed(message));
  }

  /** Waits for the end of a process that was started or found running. */
  @SuppressWarnings("FutureReturnValueIgnored") // finish has every failure end the attempt
  void follow(
      ProcessRun run, AttemptRecord record, Optional<WorkerEvents> batch, RunningCommand process) {
    batch.ifPresent(run::feeds);
    run.runs(process);
    process
        .ending()
        .thenAcceptAsync(
            ending -> finish(run, record, batch, begun(process, ending), ending), pool);
  }

  private static Instant begun(RunningCommand process, CommandEnd ending) {
    return process.started().getNow(ending.endedAt());
  }

  /** Ends an attempt; called on the pool. */
  @SuppressWarnings("FutureReturnValueIgnored") // every failure is the attempt's result
  void finish(
      ProcessRun run,
      AttemptRecord record,
      Optional<WorkerEvents> batch,
      Instant startedAt,
      CommandEnd ending) {
    CompletableFuture.completedFuture(directory(record.attempt()))
        .thenCompose(directory -> finisher.finish(record, directory, batch, startedAt, ending))
        .handle(orLost(record, startedAt))
        .thenAccept(run.result()::complete);
  }

  private BiFunction<CompletedRun, Throwable, CompletedRun> orLost(
      AttemptRecord record, Instant startedAt) {
    return (result, failure) -> {
      if (failure == null) {
        return result;
      }
      LOGGER.error("the end of attempt {} could not be processed", record.attempt(), failure);
      return CompletedRun.lost(record, startedAt, clock.now(), String.valueOf(failure));
    };
  }

  private CommandEnd startFailed(String message) {
    return ending(CommandEnd.Kind.START_FAILED, message);
  }

  private CommandEnd ending(CommandEnd.Kind kind, String message) {
    return new CommandEnd(kind, OptionalInt.empty(), OptionalInt.empty(), message, clock.now());
  }
}
