package io.millrace.manager.task;

import io.millrace.api.Durations;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.WindowEnd;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.task.TaskDefinitions.VersionedTask;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.RetentionRounds;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Ends runs whose timeout or window has expired and runs that were requested to stop, starts queued
 * runs that can start, and deletes old runs. Thread-safe.
 */
public final class RunReaper {
  private static final Duration KEEP = Duration.ofDays(30);
  private static final int PIECE = 100;

  private final Database database;
  private final DatabaseTime time;
  private final TaskDefinitions definitions;
  private final RunLifecycle lifecycle;
  private final ClaimDao claims;

  public RunReaper(
      Database database, TaskDefinitions definitions, RunLifecycle lifecycle, ClaimDao claims) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.definitions = definitions;
    this.lifecycle = lifecycle;
  }

  /** Checks every open run once. */
  public void scan() {
    Instant now = database.now();
    for (RunRow run : database.read(handle -> RunDao.in(handle, RunState.RUNNING))) {
      if (run.stopAs() != null || over(run, now).isPresent()) {
        locked(run, this::stop);
      }
    }
    for (RunRow run : database.read(handle -> RunDao.in(handle, RunState.QUEUED))) {
      locked(run, this::startOrMiss);
    }
  }

  /** Deletes old runs, as long as the claim is held. Blocks. */
  public void forget(Claim claim) {
    Instant before = database.now().minus(KEEP);
    new RetentionRounds(database, handle -> claims.lock(handle, claim))
        .add(handle -> RunDao.deleteSome(handle, before, PIECE))
        .run();
  }

  private interface RunAction {
    void apply(Handle handle, ScheduleRow schedule, RunRow run, Instant now);
  }

  private void locked(RunRow seen, RunAction action) {
    database.transaction(
        handle -> {
          Optional<ScheduleRow> schedule = ScheduleDao.lock(handle, seen.task());
          Optional<RunRow> run = RunDao.lock(handle, seen.id());
          // A deleted task has no open runs.
          if (schedule.isPresent() && run.isPresent() && !run.get().state().ended()) {
            action.apply(handle, schedule.get(), run.get(), time.now(handle));
          }
          return null;
        });
  }

  private void stop(Handle handle, ScheduleRow schedule, RunRow run, Instant now) {
    RunRow stopping = run;
    if (run.stopAs() == null) {
      Optional<Stop> stop = over(run, now);
      if (stop.isEmpty()) {
        return;
      }
      lifecycle.requestStop(handle, run, stop.get().as(), stop.get().reason(), now);
      stopping = RunDao.lock(handle, run.id()).orElseThrow();
    }
    RunRow settled = lifecycle.settle(handle, stopping);
    if (lifecycle.isQuiet(handle, run)) {
      lifecycle.end(handle, schedule, settled, settled.stopAs(), settled.reason(), now);
    }
  }

  private void startOrMiss(Handle handle, ScheduleRow schedule, RunRow run, Instant now) {
    if (!lifecycle.mayStart(run, now)
        && !definitions.version(run.task(), run.version()).catchesUp()) {
      String reason = "its window ended before the previous run did";
      lifecycle.endUnstarted(handle, run, RunState.MISSED, reason, now);
    } else if (!schedule.paused()) {
      lifecycle.startNext(handle, run.task(), now);
    }
  }

  private record Stop(RunState as, String reason) {}

  private Optional<Stop> over(RunRow run, Instant now) {
    VersionedTask task = definitions.version(run.task(), run.version());
    TaskDefinition definition = task.definition();
    Duration timeout = definition.timeout();
    if (timeout != null && !run.startedAt().plus(timeout).isAfter(now)) {
      return Optional.of(new Stop(RunState.FAILED, "timed out after " + Durations.format(timeout)));
    }
    if (definition.window() == null || definition.window().atEnd() != WindowEnd.STOP) {
      return Optional.empty();
    }
    return task.window()
        .openUntil(run.startedAt())
        .filter(end -> !end.isAfter(now))
        .map(
            end ->
                new Stop(
                    RunState.STOPPED,
                    RunLifecycle.WINDOW_ENDED
                        + (definition.chunks() == null
                            ? ""
                            : "; the next run continues with the rest")));
  }
}
