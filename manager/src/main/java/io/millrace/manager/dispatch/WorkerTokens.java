package io.millrace.manager.dispatch;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.TokenIssuer;
import java.time.Duration;
import java.util.Optional;

/** Mints the token of one worker attempt: good for its queue, as long as it may run. */
public final class WorkerTokens {
  private static final Duration WITHOUT_LIMIT = Duration.ofDays(7);
  // Covers the way to the node, the start, and the acknowledgement after the end.
  private static final Duration MARGIN = Duration.ofMinutes(10);

  private final TokenIssuer issuer;

  public WorkerTokens(TokenIssuer issuer) {
    this.issuer = issuer;
  }

  String issue(AttemptId attempt, JobSpec spec) {
    Duration run = spec.timeout() == null ? WITHOUT_LIMIT : spec.timeout().plus(spec.grace());
    return issuer.issue(
        Principal.worker(spec.input().queue(), attempt), Optional.of(run.plus(MARGIN)));
  }
}
