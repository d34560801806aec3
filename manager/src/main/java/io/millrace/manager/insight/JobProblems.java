package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobKind;
import java.time.Duration;
import java.util.List;

/** What should run and does not, in words. Pure. */
final class JobProblems {
  /** How the names of task managers begin. */
  private static final String TASK_MANAGER = "run:";

  private JobProblems() {}

  /** A queue manager or single instance that waits for too long. */
  static Alert notRunning(WaitingJob job) {
    Words words = words(job);
    return new Alert(
        words.code(),
        job.name(),
        words.what()
            + " "
            + job.name()
            + " (job "
            + job.job()
            + ") has not started for "
            + whole(job.waited())
            + why(job)
            + explain(job));
  }

  private record Words(String code, String what) {}

  private static Words words(WaitingJob job) {
    if (job.kind() != JobKind.MANAGER) {
      return new Words("SINGLE_INSTANCE_NOT_RUNNING", "single instance");
    }
    return job.name().startsWith(TASK_MANAGER)
        ? new Words("TASK_MANAGER_NOT_RUNNING", "task manager")
        : new Words("QUEUE_MANAGER_NOT_RUNNING", "queue manager");
  }

  /** One that is not done with, and whose deadline is near. */
  static Alert deadlineNear(WaitingJob job, Duration left) {
    return new Alert(
        "DEADLINE_NEAR",
        job.name(),
        "job "
            + job.job()
            + " ("
            + job.name()
            + ") has not started, and its deadline is in "
            + whole(left)
            + why(job)
            + explain(job));
  }

  /** One that has waited longer than its notification allows. */
  static Alert late(WaitingJob job) {
    return new Alert(
        "JOB_LATE",
        job.name(),
        "job "
            + job.job()
            + " ("
            + job.name()
            + ") is late: it waits for "
            + whole(job.waited())
            + why(job)
            + explain(job));
  }

  /** A pool with waiting jobs and no node. */
  static Alert poolWithoutNode(String pool, List<String> pools) {
    return new Alert(
        "POOL_WITHOUT_NODE",
        pool,
        "jobs wait for pool "
            + pool
            + ", which no living execution node serves"
            + (pools.isEmpty() ? "; no execution node lives" : "; living ones serve " + pools)
            + ". Add "
            + pool
            + " to a node's pools, or submit to another pool");
  }

  private static String why(WaitingJob job) {
    return job.reason() == null || job.reason().isBlank() ? "" : ": " + job.reason();
  }

  private static String explain(WaitingJob job) {
    return ". 'millrace job explain " + job.job() + "' tells why";
  }

  private static String whole(Duration time) {
    return Durations.format(Duration.ofSeconds(Math.max(0, time.toSeconds())));
  }

  /**
   * A job that should have started by now.
   *
   * @param job its id
   * @param name its name
   * @param kind who wanted it
   * @param waited since it could have started
   * @param reason why it waits, as far as is known; null if not
   */
  record WaitingJob(long job, String name, JobKind kind, Duration waited, String reason) {}
}
