package io.millrace.tests.drill.check;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.Outcome;
import io.millrace.tests.drill.check.Availability.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether a healthy node, or an attempt on it, was declared lost. A node is healthy if it ran, was
 * not frozen, and was not cut off from every central manager in service. An outage of the database
 * or of all central managers does not excuse a loss. Pure.
 */
public final class NodeLosses {
  /**
   * Seconds for which a past disturbance excuses the loss of an execution node: its lease, the
   * watchdog's time for killing, and a margin for slow machines.
   */
  public static final double EXECUTION_NODES = 15;

  /**
   * The same for a queue node: its lease, the grace period after it, and a margin for slow
   * machines.
   */
  public static final double QUEUE_NODES = 60;

  // Maximum seconds until the end of a killed process is recorded, not counting outages.
  private static final double NOTICED_WITHIN = 10;

  private NodeLosses() {}

  /**
   * Checks the samples.
   *
   * @param memory seconds for which a past disturbance excuses a loss
   */
  public static List<String> ofNodes(
      List<ClusterSample> samples, Availability availability, double memory) {
    List<String> violations = new ArrayList<>();
    Map<String, Double> healthyAt = new HashMap<>();
    Map<String, Boolean> lostBefore = new HashMap<>();
    for (ClusterSample sample : inOrder(samples)) {
      for (ClusterSample.Node node : sample.nodes()) {
        boolean before = Boolean.TRUE.equals(lostBefore.put(node.name(), node.lost()));
        if (!node.lost()) {
          healthyAt.put(node.name(), sample.at());
        } else if (!before) {
          Span when = new Span(healthyAt.getOrDefault(node.name(), sample.at()), sample.at());
          if (!availability.disturbed(node.name(), when, memory)) {
            violations.add(
                "healthy node %s was declared lost between %.2f and %.2f"
                    .formatted(node.name(), when.from(), when.until()));
          }
        }
      }
    }
    return violations;
  }

  /** Checks the recorded attempts; {@code memory} as for nodes. */
  public static List<String> ofAttempts(
      List<JobDetails> jobs,
      RunJournal journal,
      DatabaseTimes times,
      Availability availability,
      double memory) {
    List<String> violations = new ArrayList<>();
    for (JobDetails job : jobs) {
      for (AttemptView attempt : job.attempts()) {
        if (attempt.outcome() == Outcome.LOST
            && !explained(job, attempt, times, availability, memory)) {
          violations.add(
              "attempt %d.%d of %s (%s) on healthy node %s was lost: %s; %s"
                  .formatted(
                      job.job().id(),
                      attempt.number(),
                      job.job().name(),
                      AttemptTimes.span(attempt, times),
                      attempt.node(),
                      attempt.reason(),
                      AttemptTimes.run(job, attempt, journal)
                          .map(run -> "its process " + run)
                          .orElse("none of its processes started")));
        }
      }
    }
    return violations;
  }

  private static boolean explained(
      JobDetails job,
      AttemptView attempt,
      DatabaseTimes times,
      Availability availability,
      double memory) {
    // A kill of a process of an attempt may hit the shell that was to record its end.
    String own = "attempt " + new AttemptId(job.job().id(), attempt.number());
    // Only certain violations are reported.
    List<Span> ended = attempt.endedAt() == null ? List.of() : times.when(attempt.endedAt());
    return ended.isEmpty()
        || ended.stream().anyMatch(end -> availability.disturbed(attempt.node(), end, memory))
        || ended.stream().anyMatch(end -> availability.disturbed(own, end, NOTICED_WITHIN))
        || AttemptTimes.spans(attempt, times).stream()
            .anyMatch(span -> availability.disturbed(attempt.node(), span));
  }

  private static List<ClusterSample> inOrder(List<ClusterSample> samples) {
    return samples.stream().sorted(Comparator.comparingDouble(ClusterSample::at)).toList();
  }
}
