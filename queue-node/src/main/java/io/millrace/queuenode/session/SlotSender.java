package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.session.SlotPlan.Copy;
import io.millrace.queuenode.session.SlotPlan.DueExport;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
 * slot that cannot be sent is tried again after a pause that grows. An owner answers parts that it
 * has had already, also before it was restarted, as if it got them now; one that does not expect
 * them refuses them. Thread-safe.
 */
final class SlotSender {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotSender.class);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
  private static final int AT_ONCE = 4;
  private static final int LOGGED_AFTER = 5;
  private static final int MOST_DOUBLINGS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(150);
  private static final Duration REFUSED_PAUSE = Duration.ofMinutes(1);

  private final String node;
  private final SessionCommits commits;
  private final SlotReceivers receivers;
  private final Clock clock;
  private final Runnable idle;
  private final ExecutorService senders;
  // At most as many as there are slots.
  private final Set<QueueSlot> sending = ConcurrentHashMap.newKeySet();
  private final Map<QueueSlot, Retry> retries = new ConcurrentHashMap<>();
  // Slots of which the owner knows that nothing of them is here.
  private final Map<QueueSlot, DueExport> said = new ConcurrentHashMap<>();

  // Owners that were reported, and of which no slot has arrived since. As many as there are nodes.
  private final Set<String> missed = ConcurrentHashMap.newKeySet();

  // Used only by the thread that calls send: what was reported last.
  private final Map<String, Unexpected> unexpected = new HashMap<>();

  /** What is held of other nodes' slots that they do not expect. */
  private record Unexpected(int slots, int sessions) {}

  private record QueueSlot(String queue, int slot) {}

  /** A way of sending. */
  @FunctionalInterface
  private interface HowToSend {
    void send(QueueSlot slot, DueExport export, QueueNodeAddress owner);
  }

  // How often the owner refused it one after the other, and when it is to be tried again.
  private record Retry(DueExport export, int failures, int refusals, long at) {}

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

  /**
   * Sends what a plan says, except what is on its way or is to wait after a failure. What is left
   * of slots that are no longer expected is deleted when the owner says that it has it, since the
   * row does not say whether it was given up instead. Used by one thread; blocks on the store.
   */
  void send(String queue, SlotPlan plan, FollowedTopology now) {
    for (DueExport due : plan.exports()) {
      now.node(due.owner()).ifPresent(owner -> submit(queue, due, owner, this::sendAll));
    }
    for (DueExport absent : plan.absent()) {
      if (!absent.equals(said.get(new QueueSlot(queue, absent.slot())))) {
        now.node(absent.owner()).ifPresent(owner -> submit(queue, absent, owner, this::sayNothing));
      }
    }
    List<HeldSlot> refused = new ArrayList<>();
    for (Copy copy : plan.copies()) {
      Retry retry = retryOf(new QueueSlot(queue, copy.held().slot()), copy.export());
      if (copy.isEmpty()) {
        forget(queue, copy.held().slot(), copy.held().epoch());
        continue;
      }
      boolean unexpected = retry.refusals() >= LOGGED_AFTER;
      if (unexpected) {
        refused.add(copy.held());
      }
      if (!unexpected || clock.nanoTime() - retry.at() > REFUSED_PAUSE.toNanos()) {
        now.node(copy.owner().node())
            .ifPresent(owner -> submit(queue, copy.export(), owner, this::sendAll));
      }
    }
    report(queue, refused);
  }

  private void report(String queue, List<HeldSlot> refused) {
    Unexpected now =
        new Unexpected(refused.size(), refused.stream().mapToInt(HeldSlot::sessions).sum());
    Unexpected before = unexpected.put(queue, now);
    if (now.slots() > 0 && !now.equals(before)) {
      LOGGER.warn(
          "{} keeps {} and the completed keys of {} of {} that other nodes have and"
              + " do not expect from it: they were given up ('millrace node forget --force'), or"
              + " the central database was restored. Nobody works on them. To send their events to"
              + " the cluster again, drain this node, stop it when it has no points left, and run"
              + " 'millrace queue-node rescue' on its data directory; to discard them, delete the"
              + " directory then",
          node,
          MessageText.counted(now.sessions(), "session"),
          MessageText.counted(now.slots(), "slot"),
          queue);
    }
  }

  private Retry retryOf(QueueSlot slot, DueExport export) {
    Retry known = retries.get(slot);
    return known != null && known.export().equals(export) ? known : new Retry(export, 0, 0, 0);
  }

  private void submit(String queue, DueExport export, QueueNodeAddress owner, HowToSend how) {
    QueueSlot slot = new QueueSlot(queue, export.slot());
    Retry retry = retryOf(slot, export);
    boolean waits = retry.failures() > 0 && retry.at() - clock.nanoTime() > 0;
    if (waits || !sending.add(slot)) {
      return;
    }
    try {
      senders.execute(() -> attempt(slot, export, owner, how));
    } catch (RejectedExecutionException stopped) {
      sending.remove(slot);
    }
  }

  private void attempt(QueueSlot slot, DueExport export, QueueNodeAddress owner, HowToSend how) {
    try {
      how.send(slot, export, owner);
    } catch (MillraceException e) {
      failed(slot, export, owner, e);
    } finally {
      sending.remove(slot);
      if (sending.isEmpty()) {
        idle.run();
      }
    }
  }

  private void sendAll(QueueSlot slot, DueExport export, QueueNodeAddress owner) {
    commits.always(
        Change.of(
            slot.queue(),
            s -> {
              s.endArrivals(slot.queue(), slot.slot(), export.undrained());
              return true;
            }));
    Sending sending = Sending.to(export.ownerEpoch());
    String after = null;
    do {
      String from = after;
      SlotPage page =
          commits.always(
              Change.of(slot.queue(), s -> s.export(slot.queue(), slot.slot(), sending, from)));
      receivers.send(owner, slot.queue(), page);
      after = page.next();
    } while (after != null);
    forget(slot.queue(), slot.slot(), export.epoch());
    missed.remove(owner.name());
    LOGGER.debug("slot {} of {} has arrived at {}", slot.slot(), slot.queue(), owner.name());
  }

  private void sayNothing(QueueSlot slot, DueExport absent, QueueNodeAddress owner) {
    if (holds(slot)) {
      // It waited for its turn so long that this node has had the slot since: it is to be sent.
      retries.remove(slot);
      return;
    }
    SlotPage empty =
        new SlotPage(
            slot.slot(),
            absent.epoch(),
            node,
            Sending.to(absent.ownerEpoch()),
            0,
            List.of(),
            List.of(),
            null,
            List.of());
    receivers.send(owner, slot.queue(), empty);
    said.put(slot, absent);
    retries.remove(slot);
  }

  private boolean holds(QueueSlot slot) {
    return commits.always(Change.of(slot.queue(), s -> s.slots(slot.queue()))).stream()
        .anyMatch(held -> held.slot() == slot.slot());
  }

  private void failed(
      QueueSlot slot, DueExport export, QueueNodeAddress owner, MillraceException failure) {
    Retry before = retryOf(slot, export);
    int failures = before.failures() + 1;
    int refusals = failure.code() == ErrorCode.STALE_SLOT ? before.refusals() + 1 : 0;
    // One line for each owner, and not for each of its slots.
    if (failures == LOGGED_AFTER && missed.add(owner.name())) {
      LOGGER.info(
          "slot {} of {}, and possibly others, are not with {} yet and will be sent again: {}",
          slot.slot(),
          slot.queue(),
          owner.name(),
          failure.getMessage());
    }
    Duration growing = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
    retries.put(slot, new Retry(export, failures, refusals, clock.nanoTime() + growing.toNanos()));
  }

  /** Deletes what is held of a slot that its owner has. Blocks on the store. */
  private void forget(String queue, int slot, long epoch) {
    commits.always(
        Change.lasting(
            queue,
            s -> {
              s.exported(queue, slot, epoch);
              return true;
            }));
    retries.remove(new QueueSlot(queue, slot));
  }

  /** Forgets what concerns other queues. Used by the thread that calls {@link #send}. */
  void retain(Set<String> queues) {
    retries.keySet().removeIf(slot -> !queues.contains(slot.queue()));
    said.keySet().removeIf(slot -> !queues.contains(slot.queue()));
    unexpected.keySet().retainAll(queues);
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
