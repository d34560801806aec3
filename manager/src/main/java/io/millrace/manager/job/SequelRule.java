package io.millrace.manager.job;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.quantity.Durations;
import java.time.Duration;

/**
 * Decides what comes after an attempt: pure.
 *
 * <p>Workers are not tried again, because their events are delivered again by the segment. Tries
 * lost with their node don't count as failures (M-03), but a job that is lost again and again may
 * be what takes its nodes down, so that they have a limit of their own.
 */
final class SequelRule {
  static final int MOST_LOST_TRIES = 20;

  private SequelRule() {}

  static Sequel after(Trials trials, AttemptEnd end) {
    if (trials.cancelReason() != null && (trials.restart() || !end.outcome().success())) {
      return ended(trials, JobState.CANCELLED, trials.cancelReason());
    }
    if (trials.restart()) {
      return restarted(trials, end);
    }
    if (end.outcome().success()) {
      return ended(trials, JobState.SUCCEEDED, end.reason());
    }
    if (trials.kind() == JobKind.WORKER) {
      boolean asked = end.outcome() == Outcome.STOPPED;
      return ended(trials, asked ? JobState.CANCELLED : JobState.FAILED, end.words());
    }
    return switch (end.outcome()) {
      case LOST -> afterLoss(trials, end);
      case STOPPED -> again(trials, end);
      default -> afterFailure(trials, end);
    };
  }

  private static Sequel restarted(Trials trials, AttemptEnd end) {
    // Neither is the program's fault.
    if (end.outcome() == Outcome.LOST || end.outcome() == Outcome.STOPPED) {
      return again(trials, end);
    }
    int shortRuns = Restart.shortRuns(trials.shortRuns(), end.run());
    Duration wait = Restart.waitAfter(shortRuns);
    return new Sequel(
        JobState.WAITING,
        wait,
        false,
        end.words() + "; starts again after " + Durations.format(wait),
        trials.failedTries(),
        trials.lostTries(),
        shortRuns);
  }

  private static Sequel afterLoss(Trials trials, AttemptEnd end) {
    int lost = trials.lostTries() + 1;
    boolean given = lost >= MOST_LOST_TRIES;
    return new Sequel(
        given ? JobState.FAILED : JobState.WAITING,
        Duration.ZERO,
        true,
        given ? end.words() + "; lost " + lost + " times, not tried again" : end.words(),
        trials.failedTries(),
        lost,
        trials.shortRuns());
  }

  private static Sequel afterFailure(Trials trials, AttemptEnd end) {
    int failed = trials.failedTries() + 1;
    int most = trials.retry().max();
    boolean given = failed > most;
    Duration wait = given ? Duration.ZERO : trials.retry().waitAfter(failed);
    return new Sequel(
        given ? JobState.FAILED : JobState.WAITING,
        wait,
        false,
        given
            ? end.words()
            : end.words()
                + "; retry "
                + failed
                + " of "
                + most
                + " after "
                + Durations.format(wait),
        failed,
        trials.lostTries(),
        trials.shortRuns());
  }

  /**
   * Back to waiting: a lost job at its old place, one that its node gave back at the end (M-12).
   */
  private static Sequel again(Trials trials, AttemptEnd end) {
    return new Sequel(
        JobState.WAITING,
        Duration.ZERO,
        end.outcome() == Outcome.LOST,
        end.words(),
        trials.failedTries(),
        trials.lostTries(),
        trials.shortRuns());
  }

  private static Sequel ended(Trials trials, JobState state, String reason) {
    return new Sequel(
        state,
        Duration.ZERO,
        false,
        reason,
        trials.failedTries(),
        trials.lostTries(),
        trials.shortRuns());
  }
}
