package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.node.Heartbeat;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Arrays on a bench of jobs, driven step by step. */
final class ArrayBench implements AutoCloseable {
  final JobBench jobs;

  ArrayBench(int slotsOfEachNode) {
    // Nobody polls for the nodes, which must not count as lost however slow the machine is.
    this.jobs = new JobBench(new Heartbeat(Duration.ofMinutes(1), Duration.ofHours(1)));
    jobs.employ(JobBench.E1, "e1", slotsOfEachNode);
    jobs.employ(JobBench.E2, "e2", slotsOfEachNode);
  }

  long submit(String range) {
    return submit(range, JobDraft.command("/bin/true"));
  }

  long submit(String range, JobDraft draft) {
    return jobs.submit(draft.array(ArrayRange.parse(range)).spec());
  }

  JobView view(long id) {
    return jobs.queries.view(id);
  }

  ArrayProgress progress(long array) {
    return view(array).progress();
  }

  /** All elements that have a job, newest first. */
  List<JobView> elements(long array) {
    return jobs.queries
        .list(new JobFilter(SearchParser.parse("array:" + array), null, JobFilter.MAX))
        .jobs();
  }

  List<JobView> elements(long array, JobState state) {
    return elements(array).stream().filter(element -> element.state() == state).toList();
  }

  /** Reports the start of every placed element. */
  void startPlaced(long array) {
    elements(array, JobState.PLACED)
        .forEach(element -> jobs.start(new AttemptId(element.id(), element.attempt())));
  }

  void end(JobView element, Outcome outcome) {
    if (outcome == Outcome.SUCCEEDED) {
      succeed(new AttemptId(element.id(), element.attempt()));
      return;
    }
    Integer exitCode =
        switch (outcome) {
          case FAILED -> Integer.valueOf(3);
          default -> null;
        };
    jobs.end(new AttemptId(element.id(), element.attempt()), outcome, exitCode);
  }

  /** A success with nothing to say. */
  void succeed(AttemptId attempt) {
    jobs.reports.take(jobs.nodeOf(attempt), List.of(success(attempt)));
  }

  static AttemptReport success(AttemptId attempt) {
    AttemptResult result =
        AttemptResult.of(Outcome.SUCCEEDED, null)
            .with(copy -> copy.exitCode(0).runMillis(1000).usage(new Usage(700, 3 << 20, 1, 4096)));
    return AttemptReport.ended(attempt, result, 1020, 15);
  }

  /** Ends every element that has an attempt. */
  void endLive(long array, Outcome outcome) {
    elements(array).stream()
        .filter(element -> element.state().live())
        .forEach(element -> end(element, outcome));
  }

  JobView act(Verb verb, long id) {
    return jobs.ledger.act(id, new ActionRequest(verb, null, "ann", "because"));
  }

  JobView prioritize(long id, int priority) {
    return jobs.ledger.act(id, new ActionRequest(Verb.PRIORITY, priority, "ann", null));
  }

  int tend() {
    return jobs.arrays.reconciler().run();
  }

  /** Runs everything until the array has ended. */
  JobView runToEnd(long array, Outcome outcome) {
    for (int round = 0; round < 1000 && !view(array).state().ended(); round++) {
      jobs.place();
      startPlaced(array);
      endLive(array, outcome);
      tend();
    }
    assertThat(view(array).state().ended()).as("array %d has ended", array).isTrue();
    return view(array);
  }

  /** What the array says of itself is what its elements come to. */
  void recount(long array) {
    Map<JobState, Long> counted = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      counted.put(state, 0L);
    }
    long known = 0;
    for (JobView element : elements(array)) {
      counted.merge(element.state(), 1L, Long::sum);
      known++;
    }
    ArrayProgress progress = progress(array);
    assertThat(progress.succeeded()).isEqualTo(counted.get(JobState.SUCCEEDED));
    assertThat(progress.failed()).isEqualTo(counted.get(JobState.FAILED));
    assertThat(progress.running())
        .isEqualTo(counted.get(JobState.PLACED) + counted.get(JobState.RUNNING));
    assertThat(progress.waiting() + progress.cancelled())
        .isEqualTo(
            progress.size()
                - known
                + counted.get(JobState.CANCELLED)
                + counted.get(JobState.WAITING)
                + counted.get(JobState.BLOCKED)
                + counted.get(JobState.HELD));
    assertThat(progress.cancelled()).isGreaterThanOrEqualTo(counted.get(JobState.CANCELLED));
    assertThat(
            progress.waiting()
                + progress.running()
                + progress.succeeded()
                + progress.failed()
                + progress.cancelled())
        .isEqualTo(progress.size());
  }

  long ready() {
    return jobs.database.read(
        handle -> handle.createQuery("select count(*) from job_ready").mapTo(Long.class).one());
  }

  List<JobView> submitted() {
    return jobs.queries
        .list(new JobFilter(JobKind.SUBMITTED, Set.of(), null, null, null, 1000))
        .jobs();
  }

  @Override
  public void close() {
    jobs.close();
  }
}
