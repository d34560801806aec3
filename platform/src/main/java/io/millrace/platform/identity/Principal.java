package io.millrace.platform.identity;

import io.millrace.api.job.AttemptId;
import java.util.Optional;

/**
 * Who calls.
 *
 * @param role what the caller may be
 * @param subject a name for logs and owners
 * @param queue the only queue that a worker may touch
 * @param attempt the attempt that a worker's token was issued for
 */
public record Principal(
    Role role, String subject, Optional<String> queue, Optional<AttemptId> attempt) {
  /** A caller that is not bound to a queue. */
  public static Principal of(Role role, String subject) {
    return new Principal(role, subject, Optional.empty(), Optional.empty());
  }

  /** A worker of one attempt and one queue. */
  public static Principal worker(String queue, AttemptId attempt) {
    return new Principal(
        Role.WORKER, "attempt " + attempt, Optional.of(queue), Optional.of(attempt));
  }

  /** Whether the caller is not bound to another queue. */
  public boolean mayTouch(String name) {
    return queue.isEmpty() || queue.get().equals(name);
  }
}
