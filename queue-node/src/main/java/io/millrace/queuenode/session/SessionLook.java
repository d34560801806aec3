package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.session.NodeLease.LeaseGap;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.DeliveryRules;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the sessions several times in each heartbeat: retires silent workers, assigns what
 * waits, ends idle sessions, forgets keys. Not outside the node's lease; after a gap in it, a queue
 * is left alone until its workers, which were refused meanwhile, can have been heard of again.
 */
public final class SessionLook implements Service {
  private static final Duration SHORTEST = Duration.ofMillis(25);
  private static final Duration LONGEST = Duration.ofSeconds(1);

  /** How long a queue rests whose look has failed. */
  private static final Duration REST = Duration.ofSeconds(10);

  private static final Logger LOGGER = LoggerFactory.getLogger(SessionLook.class);

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
  private long failedAt;
  private final QueueFailures failures = new QueueFailures(LOGGER, "looking at the sessions");

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

  /**
   * One look. All queues are looked at together, but one whose look fails alone, and less often, so
   * that it does not stop the others. Blocks on the store.
   */
  void look() {
    failures.retain(store.queues());
    Set<String> alone = failures.failing();
    boolean rested = clock.nanoTime() - failedAt >= REST.toNanos();
    try {
      look(queue -> !alone.contains(queue));
    } catch (RuntimeException e) {
      requireFailure(e);
      store.queues().forEach(this::lookAlone);
      return;
    }
    if (rested) {
      alone.forEach(this::lookAlone);
    }
  }

  private void lookAlone(String queue) {
    try {
      look(queue::equals);
      failures.succeeded(queue);
    } catch (RuntimeException e) {
      requireFailure(e);
      failures.failed(queue, e);
      failedAt = clock.nanoTime();
    }
  }

  // Outside the lease, or without a store, nothing is wrong with any queue.
  private static void requireFailure(RuntimeException e) {
    if (e instanceof MillraceException refusal && refusal.code() != ErrorCode.STORE_FAILURE) {
      throw refusal;
    }
  }

  private void look(Predicate<String> which) {
    commits.within(
        Change.of(s -> s.look(queue -> which.test(queue) ? delivery(queue) : Optional.empty())),
        effects -> effects);
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
          rules
              .topology()
              .definition(queue)
              .filter(QueueDefinition::ofSessions)
              .map(one -> one.sessions().heartbeat().dividedBy(4))
              .orElse(LONGEST);
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
