package io.millrace.manager.job;

import io.millrace.api.Durations;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.FailureKind;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.RetryBackoff.Restart;
import java.time.Duration;

/**
 * Decides what comes after an attempt: pure.
 *
 * <p>Workers are not tried again, because their events are delivered again by the segment. Tries
 * lost with their node don't count as failures (M-03), but a job that is lost again and again may
 * be what takes its nodes down, so that they have a limit of their own. An attempt that was lost
 * before its node was offered it is no try of anything, and so counts nowhere (ADR 22).
 */
final class RetryRule {
  static final int MOST_LOST_TRIES = 20;

  private RetryRule() {}

  static RetryDecision after(Trials trials, AttemptResult end) {
    boolean finished = end.outcome().success() && !trials.restart();
    if (trials.cancelReason() != null && !finished) {
      return ended(trials, JobState.CANCELLED, trials.cancelReason());
    }
    if (trials.late() && !finished) {
      return ended(trials, JobState.FAILED, end.description() + "; its deadline has passed");
    }
    if (!trials.tried()) {
      return again(trials, end);
    }
    if (trials.restart()) {
      return restarted(trials, end);
    }
    if (finished) {
      return ended(trials, JobState.SUCCEEDED, end.reason());
    }
    if (trials.kind() == JobKind.WORKER) {
      boolean asked = end.outcome() == Outcome.STOPPED;
      return ended(trials, asked ? JobState.CANCELLED : JobState.FAILED, end.description());
    }
    return switch (end.outcome()) {
      case LOST -> afterLoss(trials, end);
      case STOPPED -> again(trials, end);
      case START_FAILED -> afterFailure(trials, end, FailureKind.START_FAILED);
      case SIGNALLED -> afterFailure(trials, end, FailureKind.SIGNAL);
      case TIMED_OUT -> afterFailure(trials, end, FailureKind.TIMEOUT);
      case MEMORY_EXCEEDED -> afterFailure(trials, end, FailureKind.MEMORY);
      default -> afterFailure(trials, end, FailureKind.EXIT);
    };
  }

  private static RetryDecision restarted(Trials trials, AttemptResult end) {
    // Neither is the program's fault.
    if (end.outcome() == Outcome.LOST || end.outcome() == Outcome.STOPPED) {
      return again(trials, end);
    }
    int shortRuns = Restart.shortRuns(trials.shortRuns(), end.run());
    Duration wait = Restart.waitAfter(shortRuns);
    return new RetryDecision(
        JobState.WAITING,
        wait,
        false,
        end.description() + "; starts again after " + Durations.format(wait),
        "restarted after " + end.description(),
        trials.failedTries(),
        trials.lostTries(),
        shortRuns);
  }

  private static RetryDecision afterLoss(Trials trials, AttemptResult end) {
    int lost = trials.lostTries() + 1;
    if (!trials.retry().survivesNodes()) {
      return over(trials, end, trials.failedTries(), lost, "its retry policy leaves out node-lost");
    }
    if (lost >= MOST_LOST_TRIES) {
      return over(trials, end, trials.failedTries(), lost, "lost " + lost + " times");
    }
    return new RetryDecision(
        JobState.WAITING,
        Duration.ZERO,
        true,
        end.description(),
        end.description(),
        trials.failedTries(),
        lost,
        trials.shortRuns());
  }

  private static RetryDecision afterFailure(Trials trials, AttemptResult end, FailureKind kind) {
    RetryPolicy retry = trials.retry();
    int failed = trials.failedTries() + 1;
    if (retry.max() == 0) {
      return over(trials, end, failed, trials.lostTries(), null);
    }
    if (!retry.covers(kind, end.exitCode())) {
      return over(trials, end, failed, trials.lostTries(), uncovered(retry, kind));
    }
    if (failed > retry.max()) {
      String used = retry.max() == 1 ? "its one retry is" : "its " + retry.max() + " retries are";
      return over(trials, end, failed, trials.lostTries(), used + " used up");
    }
    Duration wait = retry.waitAfter(failed);
    String count = "retry " + failed + " of " + retry.max();
    return new RetryDecision(
        JobState.WAITING,
        wait,
        false,
        end.description() + "; " + count + " after " + Durations.format(wait),
        count + ": " + end.description(),
        failed,
        trials.lostTries(),
        trials.shortRuns());
  }

  private static String uncovered(RetryPolicy retry, FailureKind kind) {
    return retry.on().contains(kind)
        ? "its retry policy leaves out this exit code"
        : "its retry policy leaves out " + kind;
  }

  /** Failed for good; the words say why it is not tried again, null if nothing was promised. */
  private static RetryDecision over(
      Trials trials, AttemptResult end, int failed, int lost, String why) {
    return new RetryDecision(
        JobState.FAILED,
        Duration.ZERO,
        false,
        why == null ? end.description() : end.description() + "; not tried again: " + why,
        null,
        failed,
        lost,
        trials.shortRuns());
  }

  /**
   * Back to waiting: a lost job at its old place, one that its node gave back at the end (M-12).
   */
  private static RetryDecision again(Trials trials, AttemptResult end) {
    return new RetryDecision(
        JobState.WAITING,
        Duration.ZERO,
        end.outcome() == Outcome.LOST,
        end.description(),
        end.description(),
        trials.failedTries(),
        trials.lostTries(),
        trials.shortRuns());
  }

  private static RetryDecision ended(Trials trials, JobState state, String reason) {
    return new RetryDecision(
        state,
        Duration.ZERO,
        false,
        reason,
        null,
        trials.failedTries(),
        trials.lostTries(),
        trials.shortRuns());
  }

  /**
   * What comes after an attempt.
   *
   * @param state the job's next state: WAITING or an ended one
   * @param pause how long it waits before its next try; zero for at once
   * @param keepsAge whether it waits at its old place rather than at the back of the queue
   * @param reason why, for people; null if plain
   * @param cause why its next attempt is started, for people; null when there is none
   * @param failedTries tries that failed, this one included
   * @param lostTries tries lost with their node, this one included
   * @param shortRuns short runs in a row, this one included
   */
  record RetryDecision(
      JobState state,
      Duration pause,
      boolean keepsAge,
      String reason,
      String cause,
      int failedTries,
      int lostTries,
      int shortRuns) {}

  /**
   * What a job went through so far, as far as it decides what comes after an attempt.
   *
   * @param kind who wanted the job
   * @param restart whether it is started again however it ends
   * @param retry when a failed try is repeated
   * @param failedTries tries that failed
   * @param lostTries tries lost with their node
   * @param shortRuns short runs in a row of a job that is always restarted
   * @param cancelReason why somebody cancelled it; null if nobody did
   * @param late whether its deadline has passed
   * @param tried whether the attempt that has ended was a try: not if its node was never offered it
   */
  record Trials(
      JobKind kind,
      boolean restart,
      RetryPolicy retry,
      int failedTries,
      int lostTries,
      int shortRuns,
      String cancelReason,
      boolean late,
      boolean tried) {}
}
