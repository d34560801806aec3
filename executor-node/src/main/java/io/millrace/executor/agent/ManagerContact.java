package io.millrace.executor.agent;

import io.millrace.api.execution.SingleInstanceLeases;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tracks the contact to central managers: each answered call renews the leases of the single
 * instances on this node, and those whose time is nearly over are stopped. Uses its own thread,
 * because the agent's may wait for an answer that does not come.
 */
final class ManagerContact implements Service {
  private static final Duration INTERVAL = Duration.ofMillis(200);

  /** The last answered call: when it was sent, and the node's lease. */
  private record Word(Duration sentAt, Duration lease) {}

  private final SingleInstanceLeases leases;
  private final AttemptService attempts;
  private final HeldAttempts held;
  private final Loop loop;
  private final int servers;
  private volatile Word last;
  private final AtomicInteger unanswered = new AtomicInteger();

  /**
   * Without any contact yet.
   *
   * @param servers the number of central managers
   */
  ManagerContact(
      String node,
      SingleInstanceLeases leases,
      AttemptService attempts,
      HeldAttempts held,
      int servers) {
    this.servers = servers;
    this.leases = leases;
    this.attempts = attempts;
    this.held = held;
    this.loop = new Loop("failover-" + node, INTERVAL, this::check);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** The time at which a call is sent, to be passed on when it is answered. */
  Duration now() {
    return leases.now();
  }

  /** A central manager that knows this node has answered a call that was sent at the time. */
  void answered(Duration sentAt, Duration lease) {
    leases.renewed(sentAt, lease);
    last = new Word(sentAt, lease);
    unanswered.set(0);
  }

  /** A call was not answered; the next one goes to another central manager. */
  void notAnswered() {
    unanswered.incrementAndGet();
  }

  /** The same with the lease of the previous answer. */
  void answered(Duration sentAt) {
    Word before = last;
    if (before != null) {
      answered(sentAt, before.lease());
    }
  }

  /** The times of the next poll. */
  PollTimes times() {
    Word answer = last;
    boolean exclusive = held.all().stream().anyMatch(one -> one.spec().exclusive());
    return new PollTimes(
        answer == null ? null : answer.lease(), servers, unanswered.get(), exclusive);
  }

  private void check() {
    Word answer = last;
    if (answer != null) {
      attempts.stopUnreachable(leases.now().minus(answer.sentAt()), answer.lease());
    }
  }
}
