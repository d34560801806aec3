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
 * @param run the only run of a task that a task's worker may take chunks of
 * @param attempt the attempt that a worker's token was issued for
 * @param node the id of a node that signed the call; then the subject is its name
 */
public record Principal(
    Role role,
    String subject,
    Optional<String> queue,
    Optional<Long> run,
    Optional<AttemptId> attempt,
    Optional<UUID> node) {
  /** A caller that is not limited to a queue. */
  public static Principal of(Role role, String subject) {
    return new Principal(
        role, subject, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** A node. */
  public static Principal of(NodeIdentity node) {
    return new Principal(
        node.role(),
        node.name(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(node.id()));
  }

  /** A worker of one attempt and one queue. */
  public static Principal worker(String queue, AttemptId attempt) {
    return new Principal(
        Role.WORKER,
        "attempt " + attempt,
        Optional.of(queue),
        Optional.empty(),
        Optional.of(attempt),
        Optional.empty());
  }

  /** A program outside that takes the sessions of one queue, in the name of somebody. */
  public static Principal sessionWorker(String queue, String of) {
    return new Principal(
        Role.WORKER,
        "session worker of " + of,
        Optional.of(queue),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** A worker of one attempt and one run of a task. */
  public static Principal taskWorker(long run, AttemptId attempt) {
    return new Principal(
        Role.TASK_WORKER,
        "attempt " + attempt,
        Optional.empty(),
        Optional.of(run),
        Optional.of(attempt),
        Optional.empty());
  }

  /** Whether the caller may access the queue: a worker only that of its token. */
  public boolean mayTouch(String name) {
    return queue.map(name::equals).orElse(!role.isAttempt());
  }
}
