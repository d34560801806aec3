package io.millrace.manager.backup;

import io.millrace.api.Durations;
import io.millrace.api.job.FailoverTime;
import io.millrace.api.job.JobKind;
import io.millrace.manager.backup.RestoreDao.RunningJob;
import io.millrace.manager.node.Heartbeat;
import java.time.Duration;

/** What becomes of the jobs that a backup shows as running. Pure. */
public final class Interruptions {
  private final Heartbeat heartbeat;
  private final boolean drained;
  private final boolean held;

  /**
   * After one restoration.
   *
   * @param heartbeat of the cluster's nodes
   * @param drained whether no node starts jobs until it is undrained
   * @param held whether single instances and jobs of lanes wait
   */
  Interruptions(Heartbeat heartbeat, boolean drained, boolean held) {
    this.heartbeat = heartbeat;
    this.drained = drained;
    this.held = held;
  }

  /**
   * A job that was running, and what becomes of it.
   *
   * @param job its number
   * @param name its name
   * @param kind what created it
   * @param node where it was running
   * @param attempt the attempt
   * @param next what happens to it after the restart, as a sentence
   */
  public record InterruptedJob(
      long job, String name, JobKind kind, String node, int attempt, String next) {}

  InterruptedJob of(RunningJob job) {
    return new InterruptedJob(
        job.id(), job.spec().name(), job.kind(), job.node(), job.attempt(), next(job));
  }

  private String next(RunningJob job) {
    if (job.kind() == JobKind.WORKER) {
      return "its events are delivered again" + (drained ? ", once a node is undrained" : "");
    }
    if (!job.restarts() && !job.spec().retry().survivesNodes()) {
      return "fails unless its node still runs it: its retry policy does not cover node-lost";
    }
    String again =
        (drained ? "would run again once a node is undrained" : "runs again")
            + ", unless its node still runs it";
    return job.spec().exclusive()
        ? again + "; not before " + release(job.spec().failover())
        : again;
  }

  /** When no process of an exclusive job can be running any more. */
  private String release(Duration failover) {
    Duration silence = FailoverTime.of(failover, heartbeat.lease()).plus(heartbeat.killTime());
    return "its node has been silent for "
        + Durations.format(silence)
        + (held ? " and the wait for single instances is over" : "");
  }
}
