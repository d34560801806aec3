package io.millrace.manager.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.manager.task.RunObserver;
import io.millrace.manager.task.RunRow;
import java.time.Duration;
import java.time.Instant;
import org.jdbi.v3.core.Handle;

/**
 * Counts runs of tasks, in this central manager since its start; after the commit, because a
 * transaction may be repeated. The labels are the tasks of the catalogue. Thread-safe.
 */
public final class TaskMeters implements RunObserver {
  private final MeterRegistry registry;
  private final Timer delay;

  public TaskMeters(MeterRegistry registry) {
    this.registry = registry;
    this.delay =
        Timer.builder("millrace.task.start.delay")
            .description("time from the planned time of a scheduled run to its start")
            .serviceLevelObjectives(JobMeters.BUCKETS)
            .register(registry);
  }

  @Override
  public void started(Handle handle, RunRow run, Instant now) {
    // A run that is continued was started before.
    if (run.cause() != RunCause.MANUAL && run.startedAt() == null) {
      Duration late = between(run.plannedAt(), now);
      handle.afterCommit(() -> delay.record(late));
    }
  }

  @Override
  public void ended(Handle handle, RunRow run, RunState state, Instant now) {
    passed(handle, run.task(), state, 1);
    if (run.startedAt() != null) {
      Duration time = between(run.startedAt(), now);
      handle.afterCommit(() -> ran(run.task()).record(time));
    }
  }

  @Override
  public void passed(Handle handle, String task, RunState state, long times) {
    handle.afterCommit(() -> runs(task, state).increment((double) times));
  }

  private Counter runs(String task, RunState state) {
    return Counter.builder("millrace.task.runs")
        .description("runs that ended, and planned times without a run, by state")
        .tags("task", task, "state", JobMeters.label(state))
        .register(registry);
  }

  private Timer ran(String task) {
    return Timer.builder("millrace.task.run")
        .description("time from the start of a run to its end")
        .tags("task", task)
        .register(registry);
  }

  private static Duration between(Instant from, Instant to) {
    Duration time = Duration.between(from, to);
    return time.isNegative() ? Duration.ZERO : time;
  }
}
