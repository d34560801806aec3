package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobKind;
import java.time.Duration;
import java.util.List;

/** Problems of jobs that should be running and are not. Pure. */
final class JobProblems {
  /** Prefix of the names of task managers. */
  private static final String TASK_MANAGER = "run:";

  private JobProblems() {}

  /** A queue manager, task manager or single instance that has waited for too long. */
  static Alert notRunning(WaitingJob job) {
    JobRole role = role(job);
    return new Alert(
        role.code(),
        job.name(),
        "%s %s (job %d) has not started for %s%s"
            .formatted(role.noun(), job.name(), job.job(), seconds(job.waited()), why(job)));
  }

  private record JobRole(String code, String noun) {}

  private static JobRole role(WaitingJob job) {
    if (job.kind() != JobKind.MANAGER) {
      return new JobRole("SINGLE_INSTANCE_NOT_RUNNING", "single instance");
    }
    return job.name().startsWith(TASK_MANAGER)
        ? new JobRole("TASK_MANAGER_NOT_RUNNING", "task manager")
        : new JobRole("QUEUE_MANAGER_NOT_RUNNING", "queue manager");
  }

  /** A job that has not started and whose deadline is near. */
  static Alert deadlineNear(WaitingJob job, Duration left) {
    return new Alert(
        "DEADLINE_NEAR",
        job.name(),
        "job %d (%s) has not started, and its deadline is in %s%s"
            .formatted(job.job(), job.name(), seconds(left), why(job)));
  }

  /** A job that has waited longer than its notification allows. */
  static Alert late(WaitingJob job) {
    return new Alert(
        "JOB_LATE",
        job.name(),
        "job %d (%s) is late: it has waited for %s%s"
            .formatted(job.job(), job.name(), seconds(job.waited()), why(job)));
  }

  /** A pool with waiting jobs and no node. */
  static Alert poolWithoutNode(String pool, List<String> pools) {
    return new Alert(
        "POOL_WITHOUT_NODE",
        pool,
        "jobs wait for pool %s, which no active execution node serves; %s. Add %s to a node's pools, or submit to another pool"
            .formatted(
                pool,
                pools.isEmpty()
                    ? "no execution node is active"
                    : "active ones serve " + String.join(", ", pools),
                pool));
  }

  private static String why(WaitingJob job) {
    String reason = job.reason() == null || job.reason().isBlank() ? "" : ": " + job.reason();
    return "%s. 'millrace job explain %d' shows why".formatted(reason, job.job());
  }

  private static String seconds(Duration time) {
    return Durations.format(Duration.ofSeconds(Math.max(0, time.toSeconds())));
  }

  /**
   * A job that should have started by now.
   *
   * @param job its id
   * @param name its name
   * @param kind its kind
   * @param waited time since it could have started
   * @param reason why it waits; null if unknown
   */
  record WaitingJob(long job, String name, JobKind kind, Duration waited, String reason) {}
}
