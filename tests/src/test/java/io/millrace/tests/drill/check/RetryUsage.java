package io.millrace.tests.drill.check;

import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether a job lost a try that it had not used: it failed permanently although, according to the
 * journals, its processes failed less often than its retry policy allows. Pure.
 */
public final class RetryUsage {
  private RetryUsage() {}

  /** Checks jobs that have ended. */
  public static List<String> unused(
      List<JobDetails> jobs, RunJournal journal, DatabaseTimes times, Availability availability) {
    List<String> violations = new ArrayList<>();
    for (JobDetails job : jobs) {
      for (AttemptView attempt : job.attempts()) {
        if (attempt.outcome() == Outcome.START_FAILED) {
          AttemptTimes.run(job, attempt, journal)
              .ifPresent(run -> violations.add("reported as not started: " + run));
        }
      }
      if (job.job().state() == JobState.FAILED && !usedUp(job, journal, times, availability)) {
        violations.add(
            "job %d %s failed permanently (%s) although its processes failed only %d times of %d: %s"
                .formatted(
                    job.job().id(),
                    job.job().name(),
                    job.job().reason(),
                    failures(job, journal),
                    job.spec().retry().max() + 1,
                    job.attempts()));
      }
    }
    return violations;
  }

  private static boolean usedUp(
      JobDetails job, RunJournal journal, DatabaseTimes times, Availability availability) {
    RetryPolicy retry = job.spec().retry();
    if (job.attempts().isEmpty()) {
      return false;
    }
    if (failures(job, journal) > retry.max()) {
      return true;
    }
    AttemptView last = job.attempts().get(job.attempts().size() - 1);
    Optional<ProcessRun> run = AttemptTimes.run(job, last, journal);
    if (last.outcome() == Outcome.LOST) {
      // Its process may have died before its first line if its node was hit at that time.
      boolean used =
          run.isPresent()
              || AttemptTimes.spans(last, times).stream()
                  .anyMatch(span -> availability.disturbed(last.node(), span));
      return !retry.survivesNodes() && used;
    }
    return run.isPresent() && !retry.covers(kind(last.outcome()), last.exitCode());
  }

  private static long failures(JobDetails job, RunJournal journal) {
    return job.attempts().stream()
        .filter(attempt -> attempt.outcome() != null && !attempt.outcome().success())
        .filter(
            attempt -> attempt.outcome() != Outcome.LOST && attempt.outcome() != Outcome.STOPPED)
        .filter(attempt -> AttemptTimes.run(job, attempt, journal).isPresent())
        .count();
  }

  private static FailureKind kind(Outcome outcome) {
    return switch (outcome) {
      case SIGNALLED -> FailureKind.SIGNAL;
      case TIMED_OUT -> FailureKind.TIMEOUT;
      case MEMORY_EXCEEDED -> FailureKind.MEMORY;
      case START_FAILED -> FailureKind.START_FAILED;
      case LOST -> FailureKind.NODE_LOST;
      default -> FailureKind.EXIT;
    };
  }
}
