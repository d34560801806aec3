package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Failures of what a loop does for one queue after another, so that one that fails does not stop
 * the others: the first of consecutive failures of a queue is logged, and that it has succeeded
 * again. There are as many entries as queues that fail. Thread-safe; never blocks.
 */
final class QueueFailures {
  private final Logger logger;
  private final String task;
  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  /**
   * Without failures.
   *
   * @param task what is done for each queue, in the log
   */
  QueueFailures(Logger logger, String task) {
    this.logger = logger;
    this.task = task;
  }

  void failed(String queue, RuntimeException failure) {
    if (!failing.add(queue)) {
      return;
    }
    if (failure instanceof MillraceException worded && worded.code() != ErrorCode.INTERNAL) {
      logger.warn(
          "{} of queue {} failed: {}; further failures of it are not logged until it succeeds",
          task,
          queue,
          worded.getMessage());
    } else {
      logger.warn(
          "{} of queue {} failed; further failures of it are not logged until it succeeds",
          task,
          queue,
          failure);
    }
  }

  void succeeded(String queue) {
    if (failing.remove(queue)) {
      logger.info("{} of queue {} succeeds again", task, queue);
    }
  }

  /** The queues that failed last. */
  Set<String> failing() {
    return Set.copyOf(failing);
  }

  /** Forgets all other queues. */
  void retain(Collection<String> queues) {
    failing.retainAll(queues);
  }
}
