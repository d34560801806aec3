package io.millrace.queuenode.session;

import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.session.NodeLease.LeaseGap;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.Optional;

/**
 * Looks at the sessions several times in each heartbeat: retires silent workers, assigns what
 * waits, ends idle sessions, forgets keys. Not outside the node's lease; after a gap in it, a queue
 * is left alone until its workers, which were refused meanwhile, can have been heard of again.
 */
public final class SessionLook implements Service {
  private static final Duration SHORTEST = Duration.ofMillis(25);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private final SessionRules rules;
  private final SessionCommits commits;
  private final SessionStore store;
  private final NodeLease lease;
  private final Clock clock;
  private final Loop loop;
  private volatile boolean more;
  // Used only by the loop's thread.
  private long lookedAt;
  private boolean hasLooked;

  /** A look that has not started. */
  public SessionLook(
      String node, SessionService sessions, SessionStore store, NodeLease lease, Clock clock) {
    this.rules = sessions.rules();
    this.commits = sessions.commits();
    this.store = store;
    this.lease = lease;
    this.clock = clock;
    this.loop = new Loop(node + "-session-look", SHORTEST, this::lookIfDue);
    commits.onMore(this::atOnce);
  }

  private void atOnce() {
    more = true;
    loop.wake();
  }

  private void lookIfDue() {
    long now = clock.nanoTime();
    boolean due = !hasLooked || more || now - lookedAt >= interval().toNanos();
    if (due && !store.queues().isEmpty() && lease.held()) {
      more = false;
      hasLooked = true;
      lookedAt = now;
      look();
    }
  }

  /** One look. Blocks on the store. */
  void look() {
    commits.within(Change.of(s -> s.look(this::delivery)), effects -> effects);
  }

  private Optional<DeliveryRules> delivery(String queue) {
    LeaseGap gap = lease.lastGap();
    return rules.delivery(queue).filter(delivery -> !mayBeUnheard(delivery, gap));
  }

  private static boolean mayBeUnheard(DeliveryRules delivery, LeaseGap gap) {
    Duration heartbeat = delivery.sessions().heartbeat();
    return gap.length().compareTo(heartbeat.dividedBy(4)) > 0
        && gap.since().compareTo(heartbeat.multipliedBy(5).dividedBy(4)) < 0;
  }

  private Duration interval() {
    Duration shortest = LONGEST;
    for (String queue : store.queues()) {
      Duration quarter =
          rules.delivery(queue).map(one -> one.sessions().heartbeat().dividedBy(4)).orElse(LONGEST);
      shortest = quarter.compareTo(shortest) < 0 ? quarter : shortest;
    }
    return shortest;
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }
}
