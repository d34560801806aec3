package io.millrace.queuenode.session;

import io.millrace.api.MillraceException;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SlotPage;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.session.SlotPlan.DueExport;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends slots to their owners, a few at a time, part after part, and deletes what has arrived. A
 * slot that cannot be sent is tried again after a pause that grows. Thread-safe.
 */
final class SlotSender {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotSender.class);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final int AT_ONCE = 4;
  private static final int LOGGED_AFTER = 5;
  private static final int MOST_DOUBLINGS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(150);

  private final String node;
  private final SessionCommits commits;
  private final SlotReceivers receivers;
  private final Clock clock;
  private final Runnable idle;
  private final ExecutorService senders;
  // At most as many as there are slots.
  private final Set<QueueSlot> sending = ConcurrentHashMap.newKeySet();
  private final Map<QueueSlot, Retry> retries = new ConcurrentHashMap<>();

  private record QueueSlot(String queue, int slot) {}

  private record Retry(int failures, long at) {}

  /**
   * A sender for one node.
   *
   * @param idle called when all slots have been tried; must not block
   */
  SlotSender(
      String node, SessionCommits commits, SlotReceivers receivers, Clock clock, Runnable idle) {
    this.node = node;
    this.commits = commits;
    this.receivers = receivers;
    this.clock = clock;
    this.idle = idle;
    this.senders = Executors.newFixedThreadPool(AT_ONCE, Threads.daemons(node + "-slot-sender"));
  }

  /** Sends a slot, unless it is on its way or is to wait after a failure; never blocks. */
  void send(String queue, DueExport export, QueueNodeAddress owner) {
    QueueSlot slot = new QueueSlot(queue, export.slot());
    Retry retry = retries.get(slot);
    if ((retry != null && retry.at() - clock.nanoTime() > 0) || !sending.add(slot)) {
      return;
    }
    try {
      senders.execute(() -> sendAll(slot, export, owner));
    } catch (RejectedExecutionException stopped) {
      sending.remove(slot);
    }
  }

  private void sendAll(QueueSlot slot, DueExport export, QueueNodeAddress owner) {
    try {
      commits.always(
          Change.of(
              slot.queue(),
              s -> {
                s.endArrivals(slot.queue(), slot.slot(), export.undrained());
                return true;
              }));
      String after = null;
      do {
        String from = after;
        SlotPage page =
            commits.always(Change.of(slot.queue(), s -> s.export(slot.queue(), slot.slot(), from)));
        receivers.send(owner, slot.queue(), page);
        after = page.next();
      } while (after != null);
      forget(slot.queue(), slot.slot(), export.epoch());
      LOGGER.debug("slot {} of {} has arrived at {}", slot.slot(), slot.queue(), owner.name());
    } catch (MillraceException e) {
      failed(slot, owner, e);
    } finally {
      sending.remove(slot);
      if (sending.isEmpty()) {
        idle.run();
      }
    }
  }

  private void failed(QueueSlot slot, QueueNodeAddress owner, MillraceException failure) {
    int failures = retries.getOrDefault(slot, new Retry(0, 0)).failures() + 1;
    if (failures == LOGGED_AFTER) {
      LOGGER.info(
          "slot {} of {} is not with {} yet and will be sent again: {}",
          slot.slot(),
          slot.queue(),
          owner.name(),
          failure.getMessage());
    }
    Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
    retries.put(slot, new Retry(failures, clock.nanoTime() + pause.toNanos()));
  }

  /** Deletes what is held of a slot that its owner has. Blocks on the store. */
  void forget(String queue, int slot, long epoch) {
    commits.always(
        Change.lasting(
            queue,
            s -> {
              s.exported(queue, slot, epoch);
              return true;
            }));
    retries.remove(new QueueSlot(queue, slot));
  }

  /** Forgets the failures of other queues. */
  void retain(Set<String> queues) {
    retries.keySet().removeIf(slot -> !queues.contains(slot.queue()));
  }

  /** Interrupts what is being sent, and waits for it for some seconds. */
  void stop() {
    senders.shutdownNow();
    try {
      if (!senders.awaitTermination(STOP_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
        LOGGER.warn("{} is still sending slots {} after it was stopped", node, STOP_WITHIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
