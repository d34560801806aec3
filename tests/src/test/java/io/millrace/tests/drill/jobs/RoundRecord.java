package io.millrace.tests.drill.jobs;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.tests.drill.check.Availability;
import io.millrace.tests.drill.check.Capacity;
import io.millrace.tests.drill.check.Capacity.Use;
import io.millrace.tests.drill.check.ClusterSample;
import io.millrace.tests.drill.check.ClusterSampler;
import io.millrace.tests.drill.check.DatabaseTimes;
import io.millrace.tests.drill.check.IdleSlots;
import io.millrace.tests.drill.check.NodeLosses;
import io.millrace.tests.drill.check.ProcessRun;
import io.millrace.tests.drill.check.RetryUsage;
import io.millrace.tests.drill.check.RunJournal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The record of a completed round; checks requirements that concern more than one job. Pure.
 *
 * @param journal of the jobs, of all rounds
 * @param files of this round's jobs
 * @param samples from before the round until after its end
 * @param availability by the faults of all rounds
 * @param nodes execution nodes
 */
record RoundRecord(
    RunJournal journal,
    List<RecordedJobs> files,
    List<ClusterSample> samples,
    Availability availability,
    List<ExecutionNodeView> nodes) {
  /** All violations as text. */
  List<String> violations() {
    DatabaseTimes times = new DatabaseTimes(samples);
    List<JobDetails> jobs = files.stream().flatMap(file -> file.runnable().stream()).toList();
    List<String> violations = new ArrayList<>();
    violations.addAll(Capacity.exceeded(totals(), uses(jobs, times)));
    violations.addAll(NodeLosses.ofNodes(samples, availability, NodeLosses.EXECUTION_NODES));
    violations.addAll(
        NodeLosses.ofAttempts(jobs, journal, times, availability, NodeLosses.EXECUTION_NODES));
    violations.addAll(RetryUsage.unused(jobs, journal, times, availability));
    violations.addAll(
        IdleSlots.violations(samples, availability, slots(), IdleSlots.LIMIT, ClusterSampler.GAP));
    return violations;
  }

  private Map<Long, Integer> slots() {
    Map<Long, Integer> slots = new HashMap<>();
    files.forEach(file -> slots.put(file.submitted().id(), file.details().spec().slots()));
    return slots;
  }

  private Map<String, Integer> totals() {
    Map<String, Integer> totals = new HashMap<>();
    nodes.forEach(node -> totals.put(slotsOf(node.id().toString()), node.capacity().slots()));
    totals.put(JobMix.LICENCE, JobMix.LICENCES);
    return totals;
  }

  private List<Use> uses(List<JobDetails> jobs, DatabaseTimes times) {
    List<Use> uses = new ArrayList<>();
    for (JobDetails job : jobs) {
      for (ProcessRun run : journal.runs()) {
        if (run.attempt().job() == job.job().id()) {
          String by = run.toString();
          uses.add(new Use(slotsOf(run.node()), job.spec().slots(), run.start(), run.last(), by));
          double until = Math.min(run.last(), lostAt(job, run.attempt(), times));
          job.spec()
              .licences()
              .forEach(
                  (licence, amount) -> uses.add(new Use(licence, amount, run.start(), until, by)));
        }
      }
    }
    return uses;
  }

  // An ordinary job that was lost with its node may still run there, but holds no licence.
  private static double lostAt(JobDetails job, AttemptId attempt, DatabaseTimes times) {
    Optional<AttemptView> lost =
        job.attempts().stream()
            .filter(one -> one.number() == attempt.number() && one.outcome() == Outcome.LOST)
            .findFirst();
    return lost.map(AttemptView::endedAt).map(times::when).orElse(List.of()).stream()
        .mapToDouble(Availability.Span::from)
        .min()
        .orElse(Double.POSITIVE_INFINITY);
  }

  private static String slotsOf(String node) {
    return "slots of " + node;
  }
}
