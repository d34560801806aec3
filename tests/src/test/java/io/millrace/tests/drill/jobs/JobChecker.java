package io.millrace.tests.drill.jobs;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.tests.drill.check.Exclusion;
import io.millrace.tests.drill.check.ProcessRun;
import io.millrace.tests.drill.check.RunJournal;
import io.millrace.tests.drill.jobs.DrillJob.Rule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Compares the journal with the database and finds what must never happen. Pure. */
final class JobChecker {
  private final RunJournal journal;
  private final List<RecordedJobs> files;
  private final List<String> violations = new ArrayList<>();

  private JobChecker(RunJournal journal, List<RecordedJobs> files) {
    this.journal = journal;
    this.files = files;
  }

  /** All violations as text; empty if there are none. */
  static List<String> violations(RunJournal journal, List<RecordedJobs> files) {
    JobChecker judge = new JobChecker(journal, files);
    files.forEach(judge::judge);
    judge.violations.addAll(Exclusion.startedTwice(journal.runs()));
    judge.violations.addAll(Exclusion.overlaps(judge.runsBy(JobSpec::single)));
    judge.violations.addAll(Exclusion.overlaps(judge.runsBy(JobSpec::lane)));
    judge.violations.addAll(Exclusion.outOfOrder(judge.runsBy(JobSpec::lane)));
    return List.copyOf(judge.violations);
  }

  private void judge(RecordedJobs file) {
    Set<JobState> allowed = allowed(file.submitted().draft().rule());
    require(
        file.details(),
        allowed.contains(file.details().job().state()),
        "should have ended as " + allowed);
    finalOnce(file.details());
    if (file.submitted().draft().rule() == Rule.ARRAY) {
      elements(file);
    }
    for (JobDetails job : file.runnable()) {
      finalOnce(job);
      attempts(job);
    }
  }

  private static Set<JobState> allowed(Rule rule) {
    return switch (rule) {
      case RESTARTED -> EnumSet.of(JobState.CANCELLED);
      // Whether it may is checked by {@link RetryUsage}.
      case FRAGILE -> EnumSet.of(JobState.SUCCEEDED, JobState.FAILED);
      case PLAIN, SINGLE, LANE, ARRAY -> EnumSet.of(JobState.SUCCEEDED);
    };
  }

  private void finalOnce(JobDetails job) {
    long finals = job.history().stream().map(JobEvent::state).filter(JobState::ended).count();
    require(job, finals == 1, "reached a final state " + finals + " times");
  }

  private void elements(RecordedJobs file) {
    Set<Long> indexes = new HashSet<>();
    for (JobDetails element : file.elements()) {
      require(element, indexes.add(element.job().index()), "has the index of another element");
      require(element, element.job().state() == JobState.SUCCEEDED, "did not succeed");
    }
    long size = file.submitted().draft().spec().array().size();
    require(file.details(), indexes.size() == size, "has " + indexes.size() + " elements");
  }

  private void attempts(JobDetails job) {
    List<AttemptView> attempts = job.attempts();
    for (int i = 0; i < attempts.size(); i++) {
      AttemptView attempt = attempts.get(i);
      boolean last = i == attempts.size() - 1;
      String name = "attempt " + attempt.number() + " ";
      require(job, attempt.number() == i + 1, name + "is out of sequence");
      require(job, attempt.cause() != null && !attempt.cause().isBlank(), name + "has no cause");
      require(job, attempt.endedAt() != null, name + "has no end");
      require(
          job,
          last || job.job().state() == JobState.CANCELLED || attempt.outcome() != Outcome.SUCCEEDED,
          name + "succeeded and was repeated");
      accepted(job, attempt);
    }
  }

  // The recorded result is that of the process of the same attempt, and is recorded once.
  private void accepted(JobDetails job, AttemptView attempt) {
    if (attempt.outcome() == Outcome.SUCCEEDED || attempt.outcome() == Outcome.FAILED) {
      Optional<ProcessRun> run = journal.of(new AttemptId(job.job().id(), attempt.number()));
      require(
          job,
          run.isPresent() && Objects.equals(attempt.exitCode(), run.get().code()),
          "attempt %d %s, but its process says: %s"
              .formatted(attempt.number(), attempt.outcome(), run));
    }
    List<JobState> ends =
        job.history().stream()
            .filter(event -> event.attempt() == attempt.number() && !event.state().live())
            .map(JobEvent::state)
            .toList();
    // A job that waits for its next attempt may be cancelled; nothing else may end an attempt
    // again.
    boolean once = ends.stream().skip(1).allMatch(JobState.CANCELLED::equals);
    require(job, once, "attempt " + attempt.number() + " ended more than once: " + ends);
  }

  private Map<String, List<ProcessRun>> runsBy(Function<JobSpec, String> name) {
    Map<String, List<ProcessRun>> groups = new TreeMap<>();
    for (RecordedJobs file : files) {
      String group = name.apply(file.submitted().draft().spec());
      if (group != null) {
        journal.runs().stream()
            .filter(run -> run.attempt().job() == file.submitted().id())
            .forEach(run -> groups.computeIfAbsent(group, key -> new ArrayList<>()).add(run));
      }
    }
    return groups;
  }

  private void require(JobDetails job, boolean kept, String complaint) {
    if (!kept) {
      violations.add(
          "job %d %s (%s, %s): %s; attempts %s"
              .formatted(
                  job.job().id(),
                  job.job().name(),
                  job.job().state(),
                  job.job().reason(),
                  complaint,
                  job.attempts()));
    }
  }
}
