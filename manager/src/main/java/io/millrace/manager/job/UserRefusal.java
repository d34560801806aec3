package io.millrace.manager.job;

import io.millrace.api.Pure;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;

/**
 * Recognizes attempts that their node refused, because it does not run jobs as their user. Nothing
 * of them ran, and another node may take the job. Pure.
 */
@Pure
public final class UserRefusal {
  private UserRefusal() {}

  /** Whether the node refused the attempt. */
  public static boolean is(AttemptResult result) {
    return result.outcome() == Outcome.START_FAILED && result.ranNothing();
  }
}
