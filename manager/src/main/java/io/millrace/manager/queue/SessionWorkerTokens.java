package io.millrace.manager.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.session.SessionWorkerToken;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.TokenIssuer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Issues tokens with which session workers call queue nodes: for one queue and a short time, so
 * that no queue node gets the token of a person. Thread-safe; blocks on the database.
 */
public final class SessionWorkerTokens {
  /** Of a program outside, which has a token of its own to ask with. */
  private static final Duration OUTSIDE = Duration.ofHours(1);

  /** Of a job; it survives hours without a central manager. */
  public static final Duration OF_JOB = Duration.ofHours(4);

  private final TokenIssuer issuer;
  private final QueueDefinitions queues;
  private final Predicate<AttemptId> isCurrent;

  /**
   * Tokens of all queues of sessions.
   *
   * @param isCurrent whether an attempt is the latest of its job, which has not ended; blocks
   */
  public SessionWorkerTokens(
      TokenIssuer issuer, QueueDefinitions queues, Predicate<AttemptId> isCurrent) {
    this.issuer = issuer;
    this.queues = queues;
    this.isCurrent = isCurrent;
  }

  /**
   * Refuses a queue that has no session workers.
   *
   * @throws MillraceException UNKNOWN_QUEUE, UNKNOWN_SESSION
   */
  public void requireSessions(String queue) {
    if (!queues.require(queue).definition().ofSessions()) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_SESSION,
          "queue %s has no sessions; its definition has no sessions.key".formatted(queue));
    }
  }

  /** The token of a program outside; {@link #requireSessions} accepts the queue. */
  public SessionWorkerToken outside(String queue, Principal caller) {
    return issued(Principal.sessionWorker(queue, caller.subject()), OUTSIDE);
  }

  /**
   * The next token of a worker's attempt, which has proven itself.
   *
   * @throws MillraceException FORBIDDEN if the attempt has ended
   */
  public SessionWorkerToken ofJob(String queue, AttemptId attempt) {
    if (!isCurrent.test(attempt)) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "attempt %s has ended, or its job has a later one; its token is not renewed"
              .formatted(attempt));
    }
    return issued(Principal.worker(queue, attempt), OF_JOB);
  }

  private SessionWorkerToken issued(Principal worker, Duration validFor) {
    return new SessionWorkerToken(issuer.issue(worker, Optional.of(validFor)), validFor);
  }
}
