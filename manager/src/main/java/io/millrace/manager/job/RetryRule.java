package io.millrace.manager.job;

import io.millrace.api.Durations;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.manager.job.ReadyJobDao.Planned;
import io.millrace.manager.job.RetryRule.RetryBackoff.Restart;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides what happens to a job after an attempt. Pure.
 *
 * <p>Workers are not retried, because the segment delivers their events again. Tries lost with
 * their node do not count as failures (M-03), but a job that is lost repeatedly may be the cause,
 * so their number has a separate limit. A try of which certainly nothing ran is repeated within
 * that limit, whatever the retry policy covers. An attempt lost before it was offered to its node
 * does not count as a try (ADR 22); nor does one that its node refused.
 */
final class RetryRule {
  static final int MAX_LOST_TRIES = 20;

  /** A quarter of an hour, with the waits between them. */
  static final int MAX_REFUSALS = 20;

  private RetryRule() {}

  static RetryDecision after(Trials trials, AttemptResult end) {
    boolean finished = end.outcome().success() && !trials.restart();
    if (trials.cancelReason() != null && !finished) {
      return ended(trials, JobState.CANCELLED, trials.cancelReason());
    }
    if (trials.late() && !finished) {
      return ended(
          trials, JobState.FAILED, end.description() + "; not retried: its deadline has passed");
    }
    if (UserRefusal.is(end)) {
      return refused(trials, end);
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

  /**
   * Waits for another node. The first few refusals cost no time; a job that is refused everywhere
   * waits longer each time, so that it does not loop.
   */
  private static RetryDecision refused(Trials trials, AttemptResult end) {
    int refusals = trials.shortRuns() + 1;
    if (refusals >= MAX_REFUSALS && !trials.restart()) {
      return over(
          trials,
          end,
          trials.failedTries(),
          trials.lostTries(),
          "refused by its nodes " + refusals + " times in a row");
    }
    Duration wait = RetryBackoff.afterRefusals(refusals);
    String reason = "refused by its node, not counted as a try: " + end.description();
    return new RetryDecision(
        JobState.WAITING,
        wait,
        wait.isZero(),
        wait.isZero()
            ? reason
            : "%s; placed again after %s".formatted(reason, Durations.format(wait)),
        "refused: " + end.description(),
        trials.failedTries(),
        trials.lostTries(),
        refusals);
  }

  private static RetryDecision restarted(Trials trials, AttemptResult end) {
    // Neither is a failure of the program.
    if (end.outcome() == Outcome.LOST || end.outcome() == Outcome.STOPPED) {
      return again(trials, end);
    }
    int shortRuns = Restart.shortRuns(trials.shortRuns(), end.run());
    Duration wait = Restart.waitAfter(shortRuns);
    return new RetryDecision(
        JobState.WAITING,
        wait,
        false,
        "%s; restarts after %s".formatted(end.description(), Durations.format(wait)),
        "restarted after " + end.description(),
        trials.failedTries(),
        trials.lostTries(),
        shortRuns);
  }

  private static RetryDecision afterLoss(Trials trials, AttemptResult end) {
    int lost = trials.lostTries() + 1;
    if (!trials.retry().survivesNodes() && !end.ranNothing()) {
      return over(
          trials, end, trials.failedTries(), lost, "its retry policy does not cover node-lost");
    }
    if (lost >= MAX_LOST_TRIES) {
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

  // Its node accepted it, so that refusals are counted from the start again.
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
      String used = retry.max() == 1 ? "its only retry is" : "all " + retry.max() + " retries are";
      return over(trials, end, failed, trials.lostTries(), used + " used up");
    }
    Duration wait = retry.waitAfter(failed);
    String count = "retry " + failed + " of " + retry.max();
    return new RetryDecision(
        JobState.WAITING,
        wait,
        false,
        "%s; %s after %s".formatted(end.description(), count, Durations.format(wait)),
        count + ": " + end.description(),
        failed,
        trials.lostTries(),
        0);
  }

  private static String uncovered(RetryPolicy retry, FailureKind kind) {
    return retry.on().contains(kind)
        ? "its retry policy does not cover this exit code"
        : "its retry policy does not cover " + kind;
  }

  /**
   * Failed finally; {@code why} explains why it is not retried; null if no retries were configured.
   */
  private static RetryDecision over(
      Trials trials, AttemptResult end, int failed, int lost, String why) {
    return new RetryDecision(
        JobState.FAILED,
        Duration.ZERO,
        false,
        why == null ? end.description() : end.description() + "; not retried: " + why,
        null,
        failed,
        lost,
        trials.shortRuns());
  }

  /** Waits again: a lost job keeps its age, one that its node returned goes to the end (M-12). */
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
   * What happens to a job after an attempt.
   *
   * @param state the job's next state: WAITING or an ended one
   * @param pause wait before its next try; zero for none
   * @param keepsAge whether it keeps its age instead of going to the end of the queue
   * @param reason human-readable reason; null if there is none
   * @param cause human-readable cause of its next attempt; null if there is none
   * @param failedTries tries that failed, this one included
   * @param lostTries tries lost with their node, this one included
   * @param shortRuns short runs in a row, or refusals by nodes in a row, this one included
   */
  record RetryDecision(
      JobState state,
      Duration pause,
      boolean keepsAge,
      String reason,
      String cause,
      int failedTries,
      int lostTries,
      int shortRuns) {
    RetryDecision withReason(String other) {
      return new RetryDecision(
          state, pause, keepsAge, other, cause, failedTries, lostTries, shortRuns);
    }
  }

  /**
   * The facts about a job and its attempt that decide what happens next.
   *
   * @param kind its kind
   * @param restart whether it is always started again
   * @param retry when a failed try is repeated
   * @param failedTries tries that failed
   * @param lostTries tries lost with their node
   * @param shortRuns short runs in a row of a job that is always restarted, or refusals by nodes in
   *     a row
   * @param cancelReason why it was cancelled; null if it was not
   * @param late whether its deadline has passed
   * @param tried whether the attempt counts as a try: not if it was never offered to its node, or
   *     the node refused it
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

  /** How long jobs wait before their next attempt. Pure. */
  public static final class RetryBackoff {
    private static final int FREE_REFUSALS = 3;

    private RetryBackoff() {}

    /**
     * The earliest start of a job; null for at once. Before its first attempt that is the time it
     * was given (G-08), afterwards the end of the wait before its next try. The rest of such a wait
     * is at most the full wait, whatever the database's clock showed when it began.
     */
    public static Instant notBefore(JobFacts job, Instant now) {
      Duration wait = waitAfter(job.restarts(), job.retry(), job.failedTries(), job.shortRuns());
      return notBefore(job.notBefore(), job.attempt(), now.plus(wait));
    }

    /** The earliest start of a job that is not due. */
    static Instant notBefore(Planned job, Instant now) {
      Duration wait = waitAfter(job.restarts(), job.retry(), job.failedTries(), job.shortRuns());
      return notBefore(job.notBefore(), job.attempt(), now.plus(wait));
    }

    private static Instant notBefore(Instant recorded, int attempt, Instant latest) {
      return recorded == null || attempt == 0 || !recorded.isAfter(latest) ? recorded : latest;
    }

    /** What {@link RetryRule} decided when the last attempt had ended, if the job has to wait. */
    private static Duration waitAfter(
        boolean restarts, RetryPolicy retry, int failedTries, int shortRuns) {
      if (restarts) {
        return Restart.waitAfter(shortRuns);
      }
      Duration refused = afterRefusals(shortRuns);
      Duration failed = retry.waitAfter(failedTries);
      return refused.compareTo(failed) > 0 ? refused : failed;
    }

    /** None after the first refusals by nodes; then one second, doubling up to a minute. */
    static Duration afterRefusals(int refusals) {
      return refusals <= FREE_REFUSALS
          ? Duration.ZERO
          : Restart.waitAfter(refusals - FREE_REFUSALS);
    }

    /**
     * How long a job that is always restarted waits before its next start (H-100). Pure.
     *
     * <p>One second, doubling with every short run up to a minute, so that a program that cannot
     * start does not spin; a run of more than a minute resets the count.
     */
    static final class Restart {
      static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

      private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
      private static final Duration GOOD_RUN = Duration.ofMinutes(1);

      private Restart() {}

      /** Short runs in a row, including the one that just ended. */
      static int shortRuns(int before, Duration run) {
        return run.compareTo(GOOD_RUN) > 0 ? 0 : before + 1;
      }

      static Duration waitAfter(int shortRuns) {
        if (shortRuns <= 1) {
          return FIRST_WAIT;
        }
        Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(shortRuns - 1, 6));
        return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
      }
    }
  }
}
