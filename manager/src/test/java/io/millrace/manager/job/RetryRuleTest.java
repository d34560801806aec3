package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.manager.job.RetryRule.RetryDecision;
import io.millrace.manager.job.RetryRule.Trials;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RetryRuleTest {
  private static final RetryPolicy TWICE =
      RetryPolicy.upTo(2, Duration.ofSeconds(3), Duration.ofMinutes(1));

  @Test
  void aFailedJobIsTriedAgainAfterItsGrowingBackOff() {
    RetryDecision first = RetryRule.after(submitted(TWICE, 0, 0), failed());
    RetryDecision second = RetryRule.after(submitted(TWICE, 1, 0), failed());
    assertThat(first.state()).isEqualTo(JobState.WAITING);
    assertThat(first.pause()).isEqualTo(Duration.ofSeconds(3));
    assertThat(first.reason()).isEqualTo("exit code 3; retry 1 of 2 after 3s");
    assertThat(second.pause()).isEqualTo(Duration.ofSeconds(6));
  }

  @Test
  void aJobWithNoRetryLeftFails() {
    assertThat(RetryRule.after(submitted(TWICE, 2, 0), failed()).state())
        .isEqualTo(JobState.FAILED);
    assertThat(RetryRule.after(submitted(RetryPolicy.NONE, 0, 0), failed()).state())
        .isEqualTo(JobState.FAILED);
  }

  @Test
  void aJobLostWithItsNodeKeepsItsPositionAndCountsNoFailure() {
    RetryDecision sequel =
        RetryRule.after(submitted(RetryPolicy.NONE, 0, 0), AttemptResult.lost("node e1 lost"));
    assertThat(sequel.state()).isEqualTo(JobState.WAITING);
    assertThat(sequel.keepsAge()).isTrue();
    assertThat(sequel.failedTries()).isZero();
    assertThat(sequel.reason()).isEqualTo("node e1 lost");
  }

  @Test
  void aJobThatIsLostRepeatedlyFails() {
    Trials often = submitted(RetryPolicy.NONE, 0, RetryRule.MAX_LOST_TRIES - 1);
    assertThat(RetryRule.after(often, AttemptResult.lost("node e1 lost")).state())
        .isEqualTo(JobState.FAILED);
  }

  @Test
  void jobsReturnedByALeavingNodeGoToTheEndOfTheQueue() {
    RetryDecision sequel =
        RetryRule.after(submitted(RetryPolicy.NONE, 0, 0), AttemptResult.withdrawn("node e1 left"));
    assertThat(sequel.state()).isEqualTo(JobState.WAITING);
    assertThat(sequel.keepsAge()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(FailureKind.class)
  void aTryOfWhichNothingRanIsRepeatedWhateverTheRetriesCoverButNotForEver(FailureKind covered) {
    AttemptResult nothing = AttemptResult.lost("the agent ended").withNeverBegan(true);
    RetryPolicy narrow = new RetryPolicy(2, null, null, Set.of(covered), null, null);
    RetryDecision again = RetryRule.after(submitted(narrow, 2, 0), nothing);
    assertThat(again.state()).isEqualTo(JobState.WAITING);
    assertThat(again.failedTries()).isEqualTo(2);
    assertThat(again.lostTries()).isEqualTo(1);

    Trials often = submitted(narrow, 0, RetryRule.MAX_LOST_TRIES - 1);
    assertThat(RetryRule.after(often, nothing).state()).isEqualTo(JobState.FAILED);
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"FAILED", "SIGNALLED", "TIMED_OUT", "START_FAILED", "LOST"})
  void aWorkerIsNeverTriedAgain(Outcome outcome) {
    Trials worker = new Trials(JobKind.WORKER, false, TWICE, 0, 0, 0, null, false, true);
    assertThat(RetryRule.after(worker, end(outcome, Duration.ZERO)).state())
        .isEqualTo(JobState.FAILED);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void aManagerWaitsAgainHoweverItEnds(Outcome outcome) {
    assertThat(RetryRule.after(manager(0, null), end(outcome, Duration.ZERO)).state())
        .isEqualTo(JobState.WAITING);
  }

  @Test
  void aManagerThatEndsSoonWaitsLongerEachTimeUpToAMinute() {
    AttemptResult soon = end(Outcome.FAILED, Duration.ofMillis(10));
    assertThat(RetryRule.after(manager(0, null), soon).pause()).isEqualTo(Duration.ofSeconds(1));
    assertThat(RetryRule.after(manager(1, null), soon).pause()).isEqualTo(Duration.ofSeconds(2));
    assertThat(RetryRule.after(manager(5, null), soon).pause()).isEqualTo(Duration.ofSeconds(32));
    assertThat(RetryRule.after(manager(1000, null), soon).pause()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void aManagerThatRanForMoreThanAMinuteRestartsItsCount() {
    RetryDecision sequel =
        RetryRule.after(manager(9, null), end(Outcome.FAILED, Duration.ofSeconds(61)));
    assertThat(sequel.shortRuns()).isZero();
    assertThat(sequel.pause()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aManagerWhoseNodeIsLostStartsAtOnce() {
    RetryDecision sequel = RetryRule.after(manager(9, null), AttemptResult.lost("node e1 lost"));
    assertThat(sequel.pause()).isZero();
    assertThat(sequel.shortRuns()).isEqualTo(9);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void aCancelledManagerIsNotStartedAgain(Outcome outcome) {
    RetryDecision sequel =
        RetryRule.after(manager(0, "not needed any more"), end(outcome, Duration.ZERO));
    assertThat(sequel.state()).isEqualTo(JobState.CANCELLED);
    assertThat(sequel.reason()).isEqualTo("not needed any more");
  }

  @Test
  void aJobThatSucceededBeforeItsCancellationArrivedHasSucceeded() {
    Trials cancelled =
        new Trials(
            JobKind.SUBMITTED, false, RetryPolicy.NONE, 0, 0, 0, "cancelled by ann", false, true);
    assertThat(RetryRule.after(cancelled, end(Outcome.SUCCEEDED, Duration.ZERO)).state())
        .isEqualTo(JobState.SUCCEEDED);
  }

  @ParameterizedTest
  @CsvSource({
    "FAILED, EXIT, 3",
    "SIGNALLED, SIGNAL,",
    "TIMED_OUT, TIMEOUT,",
    "MEMORY_EXCEEDED, MEMORY,",
    "START_FAILED, START_FAILED,"
  })
  void aPolicyRetriesJustTheKindsOfFailureThatItNames(
      Outcome outcome, FailureKind kind, Integer exitCode) {
    AttemptResult end =
        new AttemptResult(outcome, exitCode, null, "it broke", null, 0, 0, null, null, null);
    assertThat(RetryRule.after(submitted(onlyOn(Set.of(kind)), 0, 0), end).state())
        .isEqualTo(JobState.WAITING);
    Set<FailureKind> others = EnumSet.complementOf(EnumSet.of(kind));
    RetryDecision left = RetryRule.after(submitted(onlyOn(others), 0, 0), end);
    assertThat(left.state()).isEqualTo(JobState.FAILED);
    assertThat(left.reason())
        .isEqualTo("it broke; not retried: its retry policy does not cover " + kind);
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', WAITING",
    "3, '', WAITING",
    "4, '', FAILED",
    "'', 3, FAILED",
    "'3', '3', FAILED"
  })
  void exitCodesMayBeNamedAsTriedAgainOrAsFinal(String again, String last, JobState expected) {
    RetryPolicy policy = new RetryPolicy(2, null, null, null, codes(again), codes(last));
    assertThat(RetryRule.after(submitted(policy, 0, 0), failed()).state()).isEqualTo(expected);
  }

  @Test
  void aLostNodeIsNotRetriedWhenThePolicyOmitsIt() {
    Trials trials = submitted(onlyOn(Set.of(FailureKind.EXIT)), 0, 0);
    RetryDecision sequel = RetryRule.after(trials, AttemptResult.lost("node e1 lost"));
    assertThat(sequel.state()).isEqualTo(JobState.FAILED);
    assertThat(sequel.reason())
        .isEqualTo("node e1 lost; not retried: its retry policy does not cover node-lost");
  }

  @Test
  void theCauseOfEveryFurtherAttemptIsRecorded() {
    assertThat(RetryRule.after(submitted(TWICE, 1, 0), failed()).cause())
        .isEqualTo("retry 2 of 2: exit code 3");
    assertThat(RetryRule.after(submitted(TWICE, 0, 0), AttemptResult.lost("node e1 lost")).cause())
        .isEqualTo("node e1 lost");
    assertThat(RetryRule.after(manager(0, null), failed()).cause())
        .isEqualTo("restarted after exit code 3");
    assertThat(RetryRule.after(submitted(TWICE, 2, 0), failed()).cause()).isNull();
  }

  @Test
  void theLastFailureSaysThatNoRetriesAreLeft() {
    assertThat(RetryRule.after(submitted(TWICE, 2, 0), failed()).reason())
        .isEqualTo("exit code 3; not retried: all 2 retries are used up");
  }

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"FAILED", "SIGNALLED", "TIMED_OUT", "START_FAILED", "LOST", "STOPPED"})
  void afterItsDeadlineNothingIsTriedAgain(Outcome outcome) {
    Trials late = new Trials(JobKind.SUBMITTED, false, TWICE, 0, 0, 0, null, true, true);
    assertThat(RetryRule.after(late, end(outcome, Duration.ZERO)).state())
        .isEqualTo(JobState.FAILED);
  }

  @Test
  void aJobThatSucceededAfterItsDeadlineHasSucceeded() {
    Trials late = new Trials(JobKind.SUBMITTED, false, TWICE, 0, 0, 0, null, true, true);
    assertThat(RetryRule.after(late, end(Outcome.SUCCEEDED, Duration.ZERO)).state())
        .isEqualTo(JobState.SUCCEEDED);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void whateverFollowsIsALegalChangeOfState(Outcome outcome) {
    for (boolean restart : new boolean[] {true, false}) {
      for (boolean late : new boolean[] {true, false}) {
        for (JobKind kind : JobKind.values()) {
          Trials trials = new Trials(kind, restart, TWICE, 1, 1, 1, null, late, true);
          JobState next = RetryRule.after(trials, end(outcome, Duration.ofSeconds(1))).state();
          assertThat(JobState.RUNNING.mayBecome(next)).isTrue();
          assertThat(JobState.PLACED.mayBecome(next)).isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(JobKind.class)
  void anAttemptLostBeforeItWasOfferedDoesNotCount(JobKind kind) {
    RetryPolicy withoutNodes = onlyOn(Set.of(FailureKind.EXIT));
    for (RetryPolicy retry : List.of(RetryPolicy.NONE, TWICE, withoutNodes)) {
      Trials trials =
          new Trials(kind, false, retry, 1, RetryRule.MAX_LOST_TRIES - 1, 0, null, false, false);

      RetryDecision sequel = RetryRule.after(trials, AttemptResult.lost("node e1 lost"));

      assertThat(sequel.state()).isEqualTo(JobState.WAITING);
      assertThat(sequel.keepsAge()).isTrue();
      assertThat(sequel.lostTries()).isEqualTo(trials.lostTries());
      assertThat(sequel.failedTries()).isEqualTo(trials.failedTries());
    }
  }

  @ParameterizedTest
  @EnumSource(JobKind.class)
  void aRefusalByTheNodeUsesUpNoTryAndCostsNoTimeAtFirst(JobKind kind) {
    for (RetryPolicy retry : List.of(RetryPolicy.NONE, TWICE)) {
      for (AttemptResult refusal : List.of(refused())) {
        Trials trials = new Trials(kind, false, retry, 1, 2, 0, null, false, false);

        RetryDecision sequel = RetryRule.after(trials, refusal);

        assertThat(sequel.state()).isEqualTo(JobState.WAITING);
        assertThat(sequel.pause()).isZero();
        assertThat(sequel.keepsAge()).isTrue();
        assertThat(sequel.failedTries()).isEqualTo(1);
        assertThat(sequel.lostTries()).isEqualTo(2);
        assertThat(sequel.shortRuns()).isEqualTo(1);
        assertThat(sequel.reason())
            .startsWith("refused by its node, not counted as a try: user 'bob': ");
      }
    }
  }

  @Test
  void aJobThatIsRefusedAgainAndAgainWaitsLongerUpToAMinute() {
    long[] seconds = {0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60};
    for (int before = 0; before < seconds.length; before++) {
      Trials trials =
          new Trials(JobKind.SUBMITTED, false, RetryPolicy.NONE, 0, 0, before, null, false, false);
      assertThat(RetryRule.after(trials, refused()).pause())
          .isEqualTo(Duration.ofSeconds(seconds[before]));
    }
  }

  @Test
  void aJobThatIsRefusedTwentyTimesFailsWithTheReason() {
    Trials trials =
        new Trials(
            JobKind.SUBMITTED, false, TWICE, 0, 0, RetryRule.MAX_REFUSALS - 1, null, false, false);
    RetryDecision sequel = RetryRule.after(trials, refused());
    assertThat(sequel.state()).isEqualTo(JobState.FAILED);
    assertThat(sequel.reason())
        .startsWith("user 'bob': ")
        .endsWith("; not retried: refused by its nodes 20 times in a row");
  }

  @Test
  void onlyRefusalsInARowCount() {
    Trials trials =
        new Trials(
            JobKind.SUBMITTED, false, TWICE, 0, 0, RetryRule.MAX_REFUSALS - 1, null, false, true);
    AttemptResult failed =
        new AttemptResult(Outcome.FAILED, 1, null, null, null, 0, 1000, null, null, null);
    assertThat(RetryRule.after(trials, failed).state()).isEqualTo(JobState.WAITING);
    assertThat(RetryRule.after(trials, failed).shortRuns()).isZero();
  }

  @Test
  void aProgramThatCannotBeStartedIsNoRefusal() {
    AttemptResult end = AttemptResult.of(Outcome.START_FAILED, "could not start: not found");
    assertThat(UserRefusal.is(end)).isFalse();
    assertThat(UserRefusal.is(AttemptResult.lost("gone").withNeverBegan(true))).isFalse();
    assertThat(RetryRule.after(submitted(RetryPolicy.NONE, 0, 0), end).state())
        .isEqualTo(JobState.FAILED);
  }

  @Test
  void aRefusedJobThatWasCancelledOrIsLateIsNotPlacedAgain() {
    Trials cancelled =
        new Trials(JobKind.SUBMITTED, false, TWICE, 0, 0, 0, "cancelled by ann", false, false);
    Trials late = new Trials(JobKind.SUBMITTED, false, TWICE, 0, 0, 0, null, true, false);
    assertThat(RetryRule.after(cancelled, refused()).state()).isEqualTo(JobState.CANCELLED);
    assertThat(RetryRule.after(late, refused()).state()).isEqualTo(JobState.FAILED);
  }

  private static AttemptResult refused() {
    return AttemptResult.of(
            Outcome.START_FAILED,
            "user 'bob': there is no such user on this node; create it or run elsewhere")
        .withNeverBegan(true);
  }

  private static RetryPolicy onlyOn(Set<FailureKind> kinds) {
    return new RetryPolicy(2, null, null, kinds, null, null);
  }

  private static Set<Integer> codes(String code) {
    return code.isEmpty() ? Set.of() : Set.of(Integer.valueOf(code));
  }

  private static Trials submitted(RetryPolicy retry, int failed, int lost) {
    return new Trials(JobKind.SUBMITTED, false, retry, failed, lost, 0, null, false, true);
  }

  private static Trials manager(int shortRuns, String cancelReason) {
    return new Trials(
        JobKind.MANAGER, true, RetryPolicy.NONE, 0, 0, shortRuns, cancelReason, false, true);
  }

  private static AttemptResult failed() {
    return new AttemptResult(Outcome.FAILED, 3, null, null, null, 0, 1_000, null, null, null);
  }

  private static AttemptResult end(Outcome outcome, Duration run) {
    return AttemptResult.of(outcome, null).withRunMillis(run.toMillis());
  }
}
