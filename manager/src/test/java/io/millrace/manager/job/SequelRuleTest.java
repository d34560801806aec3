package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SequelRuleTest {
  private static final RetryPolicy TWICE =
      RetryPolicy.upTo(2, Duration.ofSeconds(3), Duration.ofMinutes(1));

  @Test
  void aFailedJobIsTriedAgainAfterItsGrowingBackOff() {
    Sequel first = SequelRule.after(submitted(TWICE, 0, 0), failed());
    Sequel second = SequelRule.after(submitted(TWICE, 1, 0), failed());
    assertThat(first.state()).isEqualTo(JobState.WAITING);
    assertThat(first.pause()).isEqualTo(Duration.ofSeconds(3));
    assertThat(first.reason()).isEqualTo("exit code 3; retry 1 of 2 after 3s");
    assertThat(second.pause()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void aJobWithNoRetryLeftFails() {
    assertThat(SequelRule.after(submitted(TWICE, 2, 0), failed()).state())
        .isEqualTo(JobState.FAILED);
    assertThat(SequelRule.after(submitted(RetryPolicy.NONE, 0, 0), failed()).state())
        .isEqualTo(JobState.FAILED);
  }

  @Test
  void aJobLostWithItsNodeWaitsAtItsOldPlaceAndCountsNoFailure() {
    Sequel sequel =
        SequelRule.after(submitted(RetryPolicy.NONE, 0, 0), AttemptEnd.lost("node e1 lost"));
    assertThat(sequel.state()).isEqualTo(JobState.WAITING);
    assertThat(sequel.keepsAge()).isTrue();
    assertThat(sequel.failedTries()).isZero();
    assertThat(sequel.reason()).isEqualTo("node e1 lost");
  }

  @Test
  void aJobThatIsLostAgainAndAgainIsGivenUp() {
    Trials often = submitted(RetryPolicy.NONE, 0, SequelRule.MOST_LOST_TRIES - 1);
    assertThat(SequelRule.after(often, AttemptEnd.lost("node e1 lost")).state())
        .isEqualTo(JobState.FAILED);
  }

  @Test
  void whatALeavingNodeGivesBackGoesToTheBackOfTheQueue() {
    Sequel sequel =
        SequelRule.after(submitted(RetryPolicy.NONE, 0, 0), AttemptEnd.withdrawn("node e1 left"));
    assertThat(sequel.state()).isEqualTo(JobState.WAITING);
    assertThat(sequel.keepsAge()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"FAILED", "SIGNALLED", "TIMED_OUT", "START_FAILED", "LOST"})
  void aWorkerIsNeverTriedAgain(Outcome outcome) {
    Trials worker = new Trials(JobKind.WORKER, false, TWICE, 0, 0, 0, null);
    assertThat(SequelRule.after(worker, end(outcome, Duration.ZERO)).state())
        .isEqualTo(JobState.FAILED);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void aManagerWaitsAgainHoweverItEnds(Outcome outcome) {
    assertThat(SequelRule.after(manager(0, null), end(outcome, Duration.ZERO)).state())
        .isEqualTo(JobState.WAITING);
  }

  @Test
  void aManagerThatEndsSoonWaitsLongerEachTimeUpToAMinute() {
    AttemptEnd soon = end(Outcome.FAILED, Duration.ofMillis(10));
    assertThat(SequelRule.after(manager(0, null), soon).pause()).isEqualTo(Duration.ofSeconds(1));
    assertThat(SequelRule.after(manager(1, null), soon).pause()).isEqualTo(Duration.ofSeconds(2));
    assertThat(SequelRule.after(manager(5, null), soon).pause()).isEqualTo(Duration.ofSeconds(32));
    assertThat(SequelRule.after(manager(1000, null), soon).pause())
        .isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void aManagerThatRanForMoreThanAMinuteStartsItsCountAnew() {
    Sequel sequel = SequelRule.after(manager(9, null), end(Outcome.FAILED, Duration.ofSeconds(61)));
    assertThat(sequel.shortRuns()).isZero();
    assertThat(sequel.pause()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aManagerWhoseNodeIsLostStartsAtOnce() {
    Sequel sequel = SequelRule.after(manager(9, null), AttemptEnd.lost("node e1 lost"));
    assertThat(sequel.pause()).isZero();
    assertThat(sequel.shortRuns()).isEqualTo(9);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void aCancelledManagerIsNotStartedAgain(Outcome outcome) {
    Sequel sequel =
        SequelRule.after(manager(0, "not needed any more"), end(outcome, Duration.ZERO));
    assertThat(sequel.state()).isEqualTo(JobState.CANCELLED);
    assertThat(sequel.reason()).isEqualTo("not needed any more");
  }

  @Test
  void aJobThatSucceededBeforeItsCancellationArrivedHasSucceeded() {
    Trials cancelled =
        new Trials(JobKind.SUBMITTED, false, RetryPolicy.NONE, 0, 0, 0, "cancelled by ann");
    assertThat(SequelRule.after(cancelled, end(Outcome.SUCCEEDED, Duration.ZERO)).state())
        .isEqualTo(JobState.SUCCEEDED);
  }

  private static Trials submitted(RetryPolicy retry, int failed, int lost) {
    return new Trials(JobKind.SUBMITTED, false, retry, failed, lost, 0, null);
  }

  private static Trials manager(int shortRuns, String cancelReason) {
    return new Trials(JobKind.MANAGER, true, RetryPolicy.NONE, 0, 0, shortRuns, cancelReason);
  }

  private static AttemptEnd failed() {
    return new AttemptEnd(Outcome.FAILED, 3, null, null, Duration.ofSeconds(1));
  }

  private static AttemptEnd end(Outcome outcome, Duration run) {
    return new AttemptEnd(outcome, null, null, null, run);
  }
}
