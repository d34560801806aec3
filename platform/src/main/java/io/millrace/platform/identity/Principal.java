package io.millrace.platform.identity;

import io.millrace.api.job.AttemptId;
import java.util.Optional;
import java.util.UUID;

/**
 * An authenticated caller.
 *
 * @param role the caller's role
 * @param subject a name for logs and owners
 * @param queue the only queue that a worker may access
 * @param attempt the attempt that a worker's token was issued for
 * @param node the id of a node that signed the call; then the subject is its name
 */
public record Principal(
    Role role,
    String subject,
    Optional<String> queue,
    Optional<AttemptId> attempt,
    Optional<UUID> node) {
  /** A caller that is not limited to a queue. */
  public static Principal of(Role role, String subject) {
    return new Principal(role, subject, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** A node. */
  public static Principal of(ServerIdentity node) {
    return new Principal(
        node.role(), node.name(), Optional.empty(), Optional.empty(), Optional.of(node.id()));
  }

  /** A worker of one attempt and one queue. */
  public static Principal worker(String queue, AttemptId attempt) {
    return new Principal(
        Role.WORKER,
        "attempt " + attempt,
        Optional.of(queue),
        Optional.of(attempt),
        Optional.empty());
  }

  /** Whether the caller may access the queue. */
  public boolean mayTouch(String name) {
    return queue.isEmpty() || queue.get().equals(name);
  }
}
