package io.millrace.cli;

import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.JobView.JobCounts;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.BalancerReport;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.QueueControl;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Objects as a server would show them. */
public final class Samples {
  private Samples() {}

  public static JobView job(long id, String name, JobState state, Integer exitCode) {
    return job(id, name, state, exitCode, null, null);
  }

  public static JobView job(
      long id, String name, JobState state, Integer exitCode, Integer signal, String reason) {
    boolean triedBefore = state.ended() || exitCode != null;
    Outcome outcome =
        !triedBefore ? null : state == JobState.SUCCEEDED ? Outcome.SUCCEEDED : Outcome.FAILED;
    boolean started = state != JobState.WAITING;
    return new JobView(
        id,
        name,
        JobKind.SUBMITTED,
        state,
        null,
        null,
        "admin",
        0,
        "default",
        started ? 1 : 0,
        started ? "e1" : null,
        outcome,
        exitCode,
        signal,
        reason,
        CommandRun.NOW.minusSeconds(12),
        null,
        started ? CommandRun.NOW.minusSeconds(11) : null,
        state.ended() ? CommandRun.NOW.minusSeconds(9) : null,
        "admin",
        null,
        List.of(),
        null,
        null,
        null,
        null,
        null);
  }

  /** The element of an array with an index. */
  public static JobView element(long id, long array, long index, JobState state, Integer exit) {
    return of(job(id, "sweep", state, exit), array, index, null, null);
  }

  /** An array of jobs. */
  public static JobView array(long id, JobState state, ArrayProgress progress) {
    return of(job(id, "sweep", state, null), null, null, progress, null);
  }

  /** The job with what its program reports. */
  public static JobView reporting(JobView job, ProgramProgress reported) {
    return of(job, job.array(), job.index(), job.progress(), reported);
  }

  private static JobView of(
      JobView job, Long array, Long index, ArrayProgress progress, ProgramProgress reported) {
    return new JobView(
        job.id(),
        job.name(),
        job.kind(),
        job.state(),
        null,
        null,
        job.owner(),
        0,
        job.pool(),
        job.attempt(),
        job.node(),
        job.outcome(),
        job.exitCode(),
        null,
        null,
        job.submittedAt(),
        null,
        job.startedAt(),
        job.endedAt(),
        job.share(),
        null,
        List.of(),
        null,
        array,
        index,
        progress,
        reported);
  }

  public static QueueView queue(String name) {
    return held(name, null, null);
  }

  /** A queue with its breaker open, with limits set for a while, or both; null for neither. */
  public static QueueView held(String name, BreakerView breaker, PacingOverride override) {
    return queue(name, null, breaker, override, 250, 12.34);
  }

  /** A queue whose backlog does not shrink; null if nothing of it is paused. */
  public static QueueView stuck(String name, QueueControl control, double stored, double done) {
    return queue(name, control, null, null, stored, done);
  }

  /** A queue that is being deleted, with the rate of arrivals of before. */
  public static QueueView deleting(String name) {
    return queue(name, null, null, null, 250, 0, true);
  }

  private static QueueView queue(
      String name,
      QueueControl control,
      BreakerView breaker,
      PacingOverride override,
      double eventRate,
      double doneRate) {
    return queue(name, control, breaker, override, eventRate, doneRate, false);
  }

  private static QueueView queue(
      String name,
      QueueControl control,
      BreakerView breaker,
      PacingOverride override,
      double eventRate,
      double doneRate,
      boolean deleting) {
    return new QueueView(
        name,
        1,
        1,
        Map.of("q1", 500, "q2", 500),
        1592,
        0,
        50,
        3,
        2.5,
        90_094,
        88_449,
        2_000,
        1,
        2,
        eventRate,
        doneRate,
        5,
        0.31,
        4.2,
        288,
        0,
        null,
        control,
        null,
        breaker,
        override,
        5.0,
        deleting);
  }

  /** An overview with these queues, and with a load balancer or without. */
  public static Overview overview(boolean balancer, QueueView... queues) {
    List<BalancerReport> balancers =
        balancer
            ? List.of(
                new BalancerReport(new UUID(0, 1), "b1", URI.create("http://127.0.0.1:7701"), 0, 0))
            : List.of();
    JobCounts none = new JobCounts(0, 0, 0, 0, 0);
    return new Overview(
        CommandRun.NOW,
        "1",
        List.of(),
        List.of(),
        balancers,
        List.of(queues),
        none,
        none,
        List.of());
  }
}
