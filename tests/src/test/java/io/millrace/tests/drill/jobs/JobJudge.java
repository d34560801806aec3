package io.millrace.tests.drill.jobs;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptView;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobEvent;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.tests.drill.jobs.Draft.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Holds the journal against the database: what it complains of must never happen. Pure. */
final class JobJudge {
  private final JobJournal journal;
  private final List<JobFile> files;
  private final List<String> complaints = new ArrayList<>();

  private JobJudge(JobJournal journal, List<JobFile> files) {
    this.journal = journal;
    this.files = files;
  }

  /** Everything that is wrong, in words; empty when nothing is. */
  static List<String> complaints(JobJournal journal, List<JobFile> files) {
    JobJudge judge = new JobJudge(journal, files);
    files.forEach(judge::judge);
    judge.apart(Rule.SINGLE, file -> file.submitted().draft().spec().single());
    judge.apart(Rule.RESTARTED, file -> file.submitted().draft().spec().single());
    judge.apart(Rule.LANE, file -> file.submitted().draft().spec().lane());
    judge.inOrder();
    return List.copyOf(judge.complaints);
  }

  private void judge(JobFile file) {
    JobState wanted =
        file.submitted().draft().rule() == Rule.RESTARTED ? JobState.CANCELLED : JobState.SUCCEEDED;
    require(file.details(), file.details().job().state() == wanted, "did not end " + wanted);
    finalOnce(file.details());
    if (file.submitted().draft().rule() == Rule.ARRAY) {
      elements(file);
    }
    for (JobDetails job : file.runnable()) {
      finalOnce(job);
      attempts(job);
    }
  }

  private void finalOnce(JobDetails job) {
    long finals = job.history().stream().map(JobEvent::state).filter(JobState::ended).count();
    require(job, finals == 1, "reached a final state " + finals + " times");
  }

  private void elements(JobFile file) {
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
      require(job, attempt.number() == i + 1, name + "is not the next one");
      require(job, attempt.cause() != null && !attempt.cause().isBlank(), name + "has no cause");
      require(job, attempt.endedAt() != null, name + "has no end");
      require(
          job,
          last || job.job().state() == JobState.CANCELLED || attempt.outcome() != Outcome.SUCCEEDED,
          name + "succeeded and was repeated");
      accepted(job, attempt);
    }
  }

  // What counts as done was done by the very attempt that counts.
  private void accepted(JobDetails job, AttemptView attempt) {
    if (attempt.outcome() == Outcome.SUCCEEDED) {
      Run run = journal.of(new AttemptId(job.job().id(), attempt.number()));
      require(
          job,
          run != null && Integer.valueOf(0).equals(run.code()),
          "attempt " + attempt.number() + " succeeded, but its process says: " + run);
    }
  }

  private interface Group {
    String of(JobFile file);
  }

  private void apart(Rule rule, Group group) {
    Map<String, List<Run>> groups = new TreeMap<>();
    for (JobFile file : files) {
      if (file.submitted().draft().rule() == rule) {
        journal.runs().stream()
            .filter(run -> run.attempt().job() == file.submitted().id())
            .forEach(
                run -> groups.computeIfAbsent(group.of(file), key -> new ArrayList<>()).add(run));
      }
    }
    groups.forEach(this::apart);
  }

  private void apart(String name, List<Run> runs) {
    runs.sort(Comparator.comparingDouble(Run::start));
    for (int i = 1; i < runs.size(); i++) {
      Run before = runs.get(i - 1);
      Run after = runs.get(i);
      if (before.overlaps(after)) {
        complaints.add(name + ": " + before + " overlaps with " + after);
      }
    }
  }

  private void inOrder() {
    Map<String, Long> latest = new TreeMap<>();
    List<Run> runs = new ArrayList<>(journal.runs());
    runs.sort(Comparator.comparingDouble(Run::start));
    for (Run run : runs) {
      lane(run.attempt().job())
          .ifPresent(
              lane -> {
                long before = latest.merge(lane, run.attempt().job(), Math::max);
                if (before > run.attempt().job()) {
                  complaints.add(lane + ": " + run + " began after job " + before);
                }
              });
    }
  }

  private Optional<String> lane(long job) {
    return files.stream()
        .filter(file -> file.submitted().id() == job)
        .map(file -> file.submitted().draft().spec().lane())
        .filter(Objects::nonNull)
        .findFirst();
  }

  private void require(JobDetails job, boolean kept, String complaint) {
    if (!kept) {
      complaints.add(
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
