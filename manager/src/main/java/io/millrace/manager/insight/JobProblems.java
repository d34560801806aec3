package io.millrace.manager.insight;

import io.millrace.api.Durations;
import io.millrace.api.NodeStatus;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobKind;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.insight.ProblemDao.Licensed;
import io.millrace.manager.insight.ProblemDao.Oversized;
import io.millrace.manager.insight.ProblemDao.Unmatched;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
            "%s %s (job %d) has not been running for %s%s"
                .formatted(role.noun(), job.name(), job.job(), seconds(job.waited()), why(job)))
        .since(job.since());
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

  /**
   * Jobs that no node of their pool could run if it were free; empty if a lost or drained node
   * could. Active ones were found too small by the dispatch, which knows their resources too.
   */
  static Optional<Alert> neverFits(Oversized jobs, List<ExecutionNodeView> known, Changes changes) {
    boolean fits =
        known.stream()
            .filter(node -> node.lost() || node.status() != NodeStatus.ACTIVE)
            .filter(node -> node.pools().contains(jobs.pool()))
            .map(ExecutionNodeView::capacity)
            .anyMatch(node -> holds(node, jobs));
    if (jobs.job() == null || fits) {
      return Optional.empty();
    }
    return Optional.of(
        new Alert(
            "JOB_CANNOT_RUN",
            "job " + jobs.job(),
            "job %d cannot run on any node of pool %s: %s. %s, or add a larger node to the pool"
                .formatted(
                    jobs.job(),
                    jobs.pool(),
                    jobs.words(),
                    sentence(changes.of(jobs.job(), "less")))));
  }

  /** Jobs whose requirements or user no active node of their pool accepts. */
  static Alert unmatched(Unmatched jobs, Instant now, Changes changes) {
    return new Alert(
            "JOB_CANNOT_RUN",
            "job " + jobs.job(),
            "no active node of pool %s has accepted job %d for %s: %s. %s, or add such a node; 'millrace job explain %d' compares the nodes"
                .formatted(
                    jobs.pool(),
                    jobs.job(),
                    seconds(Duration.between(jobs.since(), now)),
                    jobs.words(),
                    sentence(changes.of(jobs.job(), "other requirements")),
                    jobs.job()))
        .since(jobs.since());
  }

  /** Jobs that ask for more of a licence than there is; empty if the totals suffice now. */
  static Optional<Alert> lackLicence(Licensed jobs, Map<String, Integer> totals, Changes changes) {
    return jobs.amounts().entrySet().stream()
        .filter(asked -> jobs.job() != null)
        .filter(asked -> asked.getValue() > totals.getOrDefault(asked.getKey(), 0))
        .min(Map.Entry.comparingByKey())
        .map(asked -> lacksLicence(jobs, asked.getKey(), asked.getValue(), totals, changes));
  }

  private static Alert lacksLicence(
      Licensed jobs, String licence, int asked, Map<String, Integer> totals, Changes changes) {
    Integer total = totals.get(licence);
    return new Alert(
            "JOB_CANNOT_RUN",
            "job " + jobs.job(),
            "job %d cannot run: it needs %d of licence %s, %s. 'millrace licence set %s --total %d' allows it, or %s"
                .formatted(
                    jobs.job(),
                    asked,
                    licence,
                    total == null ? "which is not defined" : "of which there are " + total,
                    licence,
                    asked,
                    changes.of(jobs.job(), "less")))
        .since(jobs.since());
  }

  /** How users let jobs ask for something else. */
  @FunctionalInterface
  interface Changes {
    /** For jobs that are submitted by themselves. */
    Changes OF_JOBS = (job, wanted) -> "cancel it and submit it with " + wanted;

    /**
     * What to do, as a clause that begins with a verb.
     *
     * @param wanted what the job is to ask for
     */
    String of(long job, String wanted);
  }

  private static String sentence(String clause) {
    return Character.toUpperCase(clause.charAt(0)) + clause.substring(1);
  }

  // Processors and memory are 0 where a node does not limit them.
  private static boolean holds(NodeCapacity node, Oversized jobs) {
    return node.slots() >= jobs.slots()
        && (node.cpus() <= 0 || Math.round(node.cpus() * 1000) >= jobs.cpuMillis())
        && (node.memoryBytes() <= 0 || node.memoryBytes() >= jobs.memoryBytes());
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
   * @param pool its pool
   * @param since when it could have started
   * @param waited time since then
   * @param reason why it waits; null if unknown
   */
  record WaitingJob(
      long job,
      String name,
      JobKind kind,
      String pool,
      Instant since,
      Duration waited,
      String reason) {}
}
