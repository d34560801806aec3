package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ArrayProgress;
import io.millrace.api.job.Outcome;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArraysTest {
  private final ArrayBench bench = new ArrayBench(4);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void anArrayIsOneJobUntilItsElementsAreDue() {
    long array = bench.submit("1-100000");
    assertThat(bench.view(array).state()).isEqualTo(JobState.WAITING);
    assertThat(bench.ready()).isZero();
    assertThat(bench.progress(array)).isEqualTo(new ArrayProgress(100_000, 100_000, 0, 0, 0, 0));
    assertThat(bench.jobs.place()).isEqualTo(8);
    assertThat(bench.ready()).isLessThanOrEqualTo(ExpansionPolicy.LOOK_AHEAD);
    assertThat(bench.progress(array)).isEqualTo(new ArrayProgress(100_000, 99_992, 8, 0, 0, 0));
  }

  @Test
  void arraysThatAreAtTheirLimitsDoNotKeepOthersFromTheirTurn() {
    try (ArrayBench wide = new ArrayBench(110)) {
      for (int i = 0; i < 205; i++) {
        wide.submit("1-2%1");
      }
      wide.jobs.place();
      wide.jobs.place();
      long other = wide.submit("1-2");
      wide.jobs.place();
      wide.jobs.place();
      assertThat(wide.elements(other, JobState.PLACED)).hasSize(2);
    }
  }

  @Test
  void theTextsOfElementsThatAreMadeAtOnceAreBounded() {
    JobDraft large = JobDraft.command("/bin/cat").stdin("v".repeat(200_000));
    try (ArrayBench wide = new ArrayBench(100)) {
      long alone = wide.submit("1-150", large);
      assertThat(wide.jobs.place()).isBetween(1, (8 << 20) / 200_000);
      assertThat(wide.runToEnd(alone, Outcome.SUCCEEDED).state()).isEqualTo(JobState.SUCCEEDED);
    }
  }

  @Test
  void arraysThatAreExpandedTogetherHaveEqualSharesOfTheTexts() {
    JobDraft large = JobDraft.command("/bin/cat").stdin("v".repeat(200_000));
    try (ArrayBench wide = new ArrayBench(100)) {
      long first = wide.submit("1-150", large);
      long second = wide.submit("1-150", large);
      long small = wide.submit("1-10");
      wide.jobs.place();
      int share = (8 << 20) / 200_000 / 3;
      assertThat(wide.elements(first)).hasSizeBetween(1, share);
      assertThat(wide.elements(second)).hasSizeBetween(share, 2 * share);
      assertThat(wide.elements(small)).hasSize(10);
    }
  }

  @Test
  void anElementIsAJobWithItsIndex() {
    long array =
        bench.submit(
            "10-30:10", JobDraft.command("/bin/true").name("frames").env(Map.of("A", "b")));
    bench.jobs.place();
    List<JobView> elements = bench.elements(array);
    assertThat(elements).extracting(JobView::index).containsExactly(30L, 20L, 10L);
    assertThat(elements).extracting(JobView::array).containsOnly(array);
    assertThat(elements).extracting(JobView::name).containsOnly("frames");
    assertThat(elements).extracting(JobView::owner).containsOnly("ann");
    JobSpec spec = bench.jobs.queries.details(elements.get(0).id()).spec();
    assertThat(spec.array()).isNull();
    assertThat(spec.env())
        .containsEntry("A", "b")
        .containsEntry("MILLRACE_ARRAY", Long.toString(array))
        .containsEntry("MILLRACE_ARRAY_INDEX", "30")
        .containsEntry("MILLRACE_ARRAY_SIZE", "3");
  }

  @Test
  void elementsAreListedByTheirArrayOnlyAndArraysAsWholes() {
    long array = bench.submit("1-3");
    long other = bench.jobs.submit(JobDraft.command("/bin/true").spec());
    bench.jobs.place();
    assertThat(bench.submitted()).extracting(JobView::id).contains(array, other);
    assertThat(bench.elements(array)).hasSize(3);
    assertThat(bench.jobs.totals().submitted().waiting()).isZero();
    assertThat(bench.jobs.totals().submitted().running()).isEqualTo(4);
  }

  @Test
  void anArrayRunsFromTheStartOfItsFirstElementToTheEndOfItsLast() {
    long array = bench.submit("1-10");
    bench.jobs.place();
    bench.tend();
    assertThat(bench.view(array).state()).isEqualTo(JobState.WAITING);
    bench.startPlaced(array);
    bench.tend();
    assertThat(bench.view(array).state()).isEqualTo(JobState.RUNNING);
    assertThat(bench.view(array).startedAt()).isNotNull();
    bench.endLive(array, Outcome.SUCCEEDED);
    bench.tend();
    assertThat(bench.view(array).state()).isEqualTo(JobState.RUNNING);
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(bench.progress(array)).isEqualTo(new ArrayProgress(10, 0, 0, 10, 0, 0));
    bench.recount(array);
  }

  @Test
  void anArrayFailsWhenAnElementDid() {
    long array = bench.submit("1-3");
    bench.jobs.place();
    bench.end(bench.elements(array).get(0), Outcome.FAILED);
    JobView ended = bench.runToEnd(array, Outcome.SUCCEEDED);
    assertThat(ended.state()).isEqualTo(JobState.FAILED);
    assertThat(ended.reason()).contains("1 failed").contains("of 3");
  }

  @Test
  void theLimitBoundsElementsThatWaitOrRun() {
    long array = bench.submit("1-20%3");
    for (int round = 0; round < 30; round++) {
      bench.jobs.place();
      assertThat(open(array)).isLessThanOrEqualTo(3);
      bench.startPlaced(array);
      bench.elements(array).stream()
          .filter(element -> element.state().live())
          .findFirst()
          .ifPresent(element -> bench.end(element, Outcome.SUCCEEDED));
      bench.recount(array);
    }
    bench.tend();
    assertThat(bench.view(array).state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void aRetriedElementWaitsForItsTurnWithinTheLimit() {
    long array = bench.submit("1-4%2");
    bench.jobs.place();
    JobView failed = bench.elements(array).get(0);
    bench.end(failed, Outcome.FAILED);
    bench.jobs.place();
    bench.act(Verb.RETRY, failed.id());
    assertThat(bench.view(failed.id()).state()).isEqualTo(JobState.BLOCKED);
    assertThat(bench.view(failed.id()).reason()).contains("array");
    bench.jobs.place();
    assertThat(open(array)).isLessThanOrEqualTo(2);
    bench.recount(array);
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(bench.view(failed.id()).state()).isEqualTo(JobState.SUCCEEDED);
    bench.recount(array);
  }

  @Test
  void cancellingEndsElementsInEveryState() {
    long array = bench.submit("1-1000");
    bench.jobs.place();
    List<JobView> first = bench.elements(array);
    List<JobView> placed = bench.elements(array, JobState.PLACED);
    bench.startPlaced(array);
    bench.end(placed.get(0), Outcome.SUCCEEDED);
    bench.end(placed.get(1), Outcome.FAILED);
    bench.jobs.place();
    JobView held = bench.elements(array, JobState.WAITING).get(0);
    bench.act(Verb.HOLD, held.id());
    bench.act(Verb.RETRY, placed.get(1).id());
    assertThat(bench.view(placed.get(1).id()).state()).isEqualTo(JobState.BLOCKED);
    bench.tend();

    bench.act(Verb.CANCEL, array);
    assertThat(bench.view(held.id()).state()).isEqualTo(JobState.CANCELLED);
    assertThat(bench.view(placed.get(1).id()).state()).isEqualTo(JobState.CANCELLED);
    assertThat(bench.ready()).isZero();
    assertThat(bench.view(array).state()).isEqualTo(JobState.RUNNING);
    assertThat(bench.jobs.place()).isZero();
    bench.recount(array);

    bench.endLive(array, Outcome.STOPPED);
    bench.tend();
    JobView ended = bench.view(array);
    assertThat(ended.state()).isEqualTo(JobState.CANCELLED);
    assertThat(ended.reason()).contains("ann").contains("because");
    assertThat(ended.progress().succeeded()).isEqualTo(1);
    assertThat(ended.progress().cancelled()).isEqualTo(999);
    assertThat(bench.elements(array)).hasSizeGreaterThanOrEqualTo(first.size());
    bench.recount(array);
  }

  @Test
  void anArrayOfWhichNothingRunsIsCancelledAtOnce() {
    long array = bench.submit("1-1000000");
    assertThat(bench.act(Verb.CANCEL, array).state()).isEqualTo(JobState.CANCELLED);
    assertThat(bench.progress(array).cancelled()).isEqualTo(1_000_000);
    assertThat(bench.tend()).isZero();
  }

  @Test
  void retryingAnArrayTriesItsFailedElementsAgain() {
    long array = bench.submit("1-30");
    bench.jobs.place();
    List<JobView> failed = bench.elements(array, JobState.PLACED);
    bench.endLive(array, Outcome.FAILED);
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.FAILED);

    bench.act(Verb.RETRY, array);
    assertThat(bench.view(array).state()).isEqualTo(JobState.WAITING);
    JobView ended = bench.runToEnd(array, Outcome.SUCCEEDED);
    assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(ended.progress().succeeded()).isEqualTo(30);
    assertThat(bench.view(failed.get(0).id()).attempt()).isEqualTo(2);
    bench.recount(array);
  }

  @Test
  void retryingACancelledArrayContinuesWhereItStopped() {
    long array = bench.submit("1-2000");
    bench.jobs.place();
    bench.endLive(array, Outcome.SUCCEEDED);
    bench.act(Verb.CANCEL, array);
    bench.tend();
    assertThat(bench.view(array).state()).isEqualTo(JobState.CANCELLED);
    bench.act(Verb.RETRY, array);
    bench.tend();
    assertThat(bench.progress(array).cancelled()).isZero();
    assertThat(bench.jobs.place()).isEqualTo(8);
    assertThat(bench.progress(array)).isEqualTo(new ArrayProgress(2000, 1984, 8, 8, 0, 0));
  }

  @Test
  void aRetriedElementReopensItsEndedArray() {
    long array = bench.submit("1-3");
    bench.jobs.place();
    JobView failed = bench.elements(array).get(0);
    bench.end(failed, Outcome.FAILED);
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.FAILED);
    bench.act(Verb.RETRY, failed.id());
    bench.tend();
    assertThat(bench.view(array).state().ended()).isFalse();
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.SUCCEEDED);
    bench.recount(array);
  }

  @Test
  void aHeldArrayStartsNoFurtherElementUntilItIsReleased() {
    long array = bench.submit("1-100");
    bench.jobs.place();
    bench.startPlaced(array);
    bench.tend();
    bench.act(Verb.HOLD, array);
    assertThat(bench.view(array).state()).isEqualTo(JobState.RUNNING);
    assertThat(bench.ready()).isZero();
    bench.endLive(array, Outcome.SUCCEEDED);
    assertThat(bench.jobs.place()).isZero();
    bench.recount(array);
    bench.act(Verb.RELEASE, array);
    assertThat(bench.jobs.place()).isEqualTo(8);
    assertThat(bench.runToEnd(array, Outcome.SUCCEEDED).state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void anArraySubmittedOnHoldCreatesNothing() {
    long array = bench.submit("1-100", JobDraft.command("/bin/true").hold(true));
    assertThat(bench.jobs.place()).isZero();
    assertThat(bench.elements(array)).isEmpty();
    bench.act(Verb.RELEASE, array);
    assertThat(bench.jobs.place()).isEqualTo(8);
  }

  @Test
  void dependenciesOfAnArrayApplyToAllElements() {
    long before = bench.jobs.submit(JobDraft.command("/bin/true").slots(8).spec());
    long array =
        bench.submit(
            "1-5", JobDraft.command("/bin/true").after(List.of(new Dependency(before, null))));
    long later =
        bench.submit(
            "1-5", JobDraft.command("/bin/true").notBefore(Instant.parse("2999-01-01T00:00:00Z")));
    assertThat(bench.view(array).state()).isEqualTo(JobState.BLOCKED);
    bench.jobs.place();
    assertThat(bench.elements(array)).isEmpty();
    assertThat(bench.elements(later)).isEmpty();
    bench.act(Verb.CANCEL, before);
    assertThat(bench.view(array).state()).isEqualTo(JobState.CANCELLED);
    assertThat(bench.progress(array).cancelled()).isEqualTo(5);
  }

  @Test
  void aJobThatWaitsForAnArrayStartsAfterItsLastElement() {
    long array = bench.submit("1-3");
    long next =
        bench.jobs.submit(
            JobDraft.command("/bin/true").after(List.of(new Dependency(array, null))).spec());
    bench.jobs.place();
    bench.endLive(array, Outcome.SUCCEEDED);
    assertThat(bench.view(next).state()).isEqualTo(JobState.BLOCKED);
    bench.tend();
    assertThat(bench.view(next).state()).isEqualTo(JobState.WAITING);
  }

  @Test
  void aChangedPriorityIsThatOfAllElementsThatHaveNotEnded() {
    long array = bench.submit("1-1000");
    bench.jobs.place();
    bench.prioritize(array, 7);
    assertThat(bench.elements(array)).extracting(JobView::priority).containsOnly(7);
    bench.endLive(array, Outcome.SUCCEEDED);
    bench.tend();
    bench.jobs.place();
    assertThat(bench.view(array).priority()).isEqualTo(7);
    assertThat(bench.elements(array, JobState.WAITING))
        .extracting(JobView::priority)
        .containsOnly(7);
  }

  @Test
  void anArrayDoesNotKeepLaterJobsWaiting() {
    bench.submit("1-100000");
    bench.jobs.place();
    long single = bench.jobs.submit(JobDraft.command("/bin/true").priority(1).spec());
    bench.submit("1-100000");
    bench.jobs.place();
    assertThat(bench.ready()).isLessThanOrEqualTo(2 * ExpansionPolicy.LOOK_AHEAD + 1);
    assertThat(bench.view(single).state()).isEqualTo(JobState.WAITING);
  }

  private long open(long array) {
    return bench.elements(array).stream()
        .filter(element -> element.state().live() || element.state() == JobState.WAITING)
        .count();
  }
}
