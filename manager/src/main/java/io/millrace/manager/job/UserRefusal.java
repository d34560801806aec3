package io.millrace.manager.job;

import io.millrace.api.Pure;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import java.util.List;

/**
 * Recognizes attempts that their node refused, because it does not run jobs as their user. Nothing
 * of them ran, and another node may take the job. Pure.
 */
@Pure
public final class UserRefusal {
  // Nodes of the version before say it in the reason only.
  private static final List<String> EARLIER_REASONS =
      List.of("user '", "this execution node runs as root and the job names no user");

  private UserRefusal() {}

  /** Whether the node refused the attempt. */
  public static boolean is(AttemptResult result) {
    return result.outcome() == Outcome.START_FAILED
        && (result.ranNothing() || earlier(result.reason()));
  }

  private static boolean earlier(String reason) {
    return reason != null && EARLIER_REASONS.stream().anyMatch(reason::startsWith);
  }
}
