package io.millrace.api.execution;

import io.millrace.api.job.AttemptId;
import java.time.Duration;

/**
 * Until when single instances may run without an answer of a central manager (M-07). A command
 * whose lease has expired must not run any more, whatever has happened to the node: the backend has
 * to guarantee that without the node's help. Thread-safe.
 */
public interface SingleInstanceLeases {
  /**
   * A time that continues while the machine is suspended and cannot be set; taken before a call
   * that may renew is sent.
   */
  Duration now();

  /**
   * A central manager has answered: all current single instances may continue for their failover
   * time, or for the node's lease, from then on.
   *
   * @param sentAt {@link #now} before the call was sent
   * @param lease the node's
   */
  void renewed(Duration sentAt, Duration lease);

  /** An attempt is no longer current: it gets no more time. */
  void outdated(AttemptId id);
}
