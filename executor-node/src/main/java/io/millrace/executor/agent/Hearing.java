package io.millrace.executor.agent;

import io.millrace.executor.supervision.Leases;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;

/**
 * When a central manager was last heard of: each answered call renews the leases of the single
 * instances here, and those whose time is nearly over are asked to end. A thread of its own,
 * because the agent's may wait for an answer that does not come.
 */
final class Hearing implements Service {
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final int POLLS_PER_LEASE = 6;
  private static final Duration LEAST_WAIT = Duration.ofMillis(250);

  /** What was answered last: when the call was sent, and the node's lease. */
  private record Word(Duration sentAt, Duration lease) {}

  private final Leases leases;
  private final AttemptDesk desk;
  private final HeldAttempts held;
  private final Loop loop;
  private volatile Word last;

  Hearing(String node, Leases leases, AttemptDesk desk, HeldAttempts held) {
    this.leases = leases;
    this.desk = desk;
    this.held = held;
    this.loop = new Loop("failover-" + node, INTERVAL, this::look);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** The time to remember before a call is sent. */
  Duration now() {
    return leases.now();
  }

  /** A central manager that knows this node has answered a call sent then. */
  void answered(Duration sentAt, Duration lease) {
    leases.renewed(sentAt, lease);
    last = new Word(sentAt, lease);
  }

  /** The same, with the lease told before. */
  void answered(Duration sentAt) {
    Word before = last;
    if (before != null) {
      answered(sentAt, before.lease());
    }
  }

  /**
   * How long a poll may wait for news: while there are single instances, short enough for several
   * renewals in a lease.
   */
  Duration patience(Duration usual) {
    Word word = last;
    if (word == null || held.all().stream().noneMatch(one -> one.spec().exclusive())) {
      return usual;
    }
    Duration often = word.lease().dividedBy(POLLS_PER_LEASE);
    return often.compareTo(usual) < 0 ? often : usual;
  }

  /**
   * How long to wait for the answer to a poll: so short that another central manager hears of this
   * node within its lease when the one that was asked is frozen or cut off.
   */
  Duration limit(Duration patience) {
    Word word = last;
    Duration margin =
        word == null ? Duration.ofSeconds(1) : word.lease().dividedBy(POLLS_PER_LEASE);
    return patience.plus(margin.compareTo(LEAST_WAIT) < 0 ? LEAST_WAIT : margin);
  }

  private void look() {
    Word word = last;
    if (word != null) {
      desk.stopUnheard(leases.now().minus(word.sentAt()), word.lease());
    }
  }
}
