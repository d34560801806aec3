package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.session.DrainedSlots;
import io.millrace.api.session.SessionDefinition.OwnerLostPolicy;
import io.millrace.api.session.SlotTable;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.segment.FollowedTopology;
import io.millrace.queuenode.session.SlotPlan.UnreachableOwner;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.store.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets this node hold the slots of queues of sessions that the weight rows give to it: takes new
 * ones, seals those that others have got, and sends these to their owners as soon as no worker has
 * anything of them. Whatever fails is repeated. A new lease of the node begins when nothing is
 * served any more that others have got. Thread-safe.
 */
public final class SlotKeeper implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(SlotKeeper.class);
  private static final Duration EVERY = Duration.ofMillis(200);

  // Longer than any request to change a row can be under way.
  private static final Duration ORPHANED_AFTER = Duration.ofMinutes(1);

  private final String node;
  private final SessionRules rules;
  private final SessionCommits commits;
  private final CentralClient central;
  private final SlotSender sender;
  private final NodeLease lease;
  private final SlotSeals seals;
  private final Clock clock;
  private final Loop loop;
  private final Loop reports;
  // Queue by queue, as far as something is to be reported.
  private final Map<String, Map<String, Map<Integer, Long>>> drained = new ConcurrentHashMap<>();
  // Queues of which more has changed than the row.
  private final Set<String> changed = ConcurrentHashMap.newKeySet();
  // Earlier owners whose slots are held until their workers have certainly stopped.
  private final Set<QueueOwner> unreachable = ConcurrentHashMap.newKeySet();
  // Used only by the loop's thread.
  private final Map<String, Looked> looked = new HashMap<>();
  private final Map<QueueSlot, Release> releases = new HashMap<>();
  private final Map<QueueSlot, Long> orphans = new HashMap<>();
  private final QueueFailures failures = new QueueFailures(LOGGER, "looking at the slots");
  private final QueueFailures unreported =
      new QueueFailures(LOGGER, "reporting what has arrived for slots");

  private record QueueSlot(String queue, int slot) {}

  private record QueueOwner(String queue, UnreachableOwner owner) {}

  private record Release(long epoch, long since) {}

  private record Looked(long version, boolean waits, Set<String> lost, boolean unfinished) {}

  /**
   * A keeper that has not started.
   *
   * @param seals slots that are sealed for a move under way, which stay sealed
   */
  public SlotKeeper(
      String node,
      SessionService sessions,
      CentralClient central,
      SlotReceivers receivers,
      NodeLease lease,
      SlotSeals seals,
      Clock clock) {
    this.node = node;
    this.rules = sessions.rules();
    this.commits = sessions.commits();
    this.central = central;
    this.lease = lease;
    this.seals = seals;
    this.clock = clock;
    this.loop = new Loop(node + "-slots", EVERY, this::keep);
    this.reports = new Loop(node + "-slots-drained", EVERY, this::report);
    this.sender = new SlotSender(node, commits, receivers, clock, loop::wake);
    // If the queue is defined again, its slots are to be taken anew.
    sessions.onRemoved(this::arrived);
  }

  /** Looks at the rows now; never blocks. */
  public void wake() {
    loop.wake();
  }

  /** Something has arrived for slots of a queue, whose row has not changed; never blocks. */
  public void arrived(String queue) {
    changed.add(queue);
    loop.wake();
  }

  /** Brings what is held into line with the rows, as far as it can at once. */
  void keep() {
    long begun = lease.now();
    FollowedTopology now = rules.topology();
    boolean inLine = true;
    for (String queue : now.ofSessions()) {
      boolean sealed = false;
      try {
        Optional<SlotPlan> plan = sealed(queue, now);
        sealed = true;
        if (plan.isPresent()) {
          carryOut(queue, now, plan.get());
        }
        failures.succeeded(queue);
      } catch (MillraceException e) {
        changed.add(queue);
        LOGGER.debug("the slots of {} are not in line with its weights yet", queue, e);
      } catch (RuntimeException e) {
        // Whatever is wrong with this queue must not stop the slots of others.
        changed.add(queue);
        failures.failed(queue, e);
      }
      inLine &= sealed;
    }
    if (inLine) {
      lease.inLine(begun);
    }
    looked.keySet().retainAll(now.ofSessions());
    unreachable.removeIf(one -> !now.ofSessions().contains(one.queue()));
    drained.keySet().retainAll(now.ofSessions());
    changed.retainAll(now.ofSessions());
    failures.retain(now.ofSessions());
    unreported.retain(now.ofSessions());
    sender.retain(now.ofSessions());
  }

  /** What is to be done; what others have got is sealed first. Empty if nothing has changed. */
  private Optional<SlotPlan> sealed(String queue, FollowedTopology now) {
    removeDiscarded(queue, now.discardedThrough(queue));
    SlotTable table = now.slots(queue).orElseThrow();
    Set<String> lost = lost(table, now);
    Looked before = looked.get(queue);
    if (before != null
        && !changed.remove(queue)
        && !before.unfinished()
        && before.version() == now.weightsVersion(queue)
        && before.waits() == waits(queue, now)
        && before.lost().equals(lost)) {
      return Optional.empty();
    }
    List<HeldSlot> held = commits.always(Change.of(queue, s -> s.slots(queue)));
    SlotPlan plan = SlotPlan.of(node, table, held, lost::contains, waits(queue, now));
    seal(queue, plan.seals());
    return Optional.of(plan);
  }

  private static boolean waits(String queue, FollowedTopology now) {
    return now.require(queue).sessions().ownerLost() == OwnerLostPolicy.WAIT;
  }

  // This node was away when the queue was deleted: nothing of it belongs to the one defined since.
  private void removeDiscarded(String queue, int version) {
    boolean more = version > 0;
    while (more) {
      more = commits.always(Change.lasting(queue, s -> s.remove(queue, version)));
    }
  }

  private void carryOut(String queue, FollowedTopology now, SlotPlan plan) {
    int inForce = now.versions(queue).inForce();
    // A lost owner may serve to the end of its lease, and its workers may work on after it.
    Duration hold = lease.length().plus(rules.silence(now.require(queue)));
    long holdUntil = clock.nanoTime() + hold.toNanos();
    take(queue, inForce, plan.takes(), 0);
    take(queue, inForce, plan.takesFromLost(), holdUntil);
    hold(queue, plan.unreachable(), holdUntil);
    noteUnreachable(queue, now, plan.takesFromLost());
    take(queue, inForce, plan.changed(), holdUntil);
    if (!looked.containsKey(queue)) {
      // Until when they are held back was forgotten with the process before.
      take(queue, inForce, plan.kept(), holdUntil);
    }
    // These have been held for long enough; another hold would begin anew.
    List<GrantedSlot> due = due(queue, plan.releases(), hold);
    take(queue, inForce, due, clock.nanoTime());
    unsealOrphans(queue, plan.sealedHere());
    sender.send(queue, plan, now);
    drained.put(queue, plan.drained());
    boolean unfinished = plan.unfinished() || !plan.takes().isEmpty();
    looked.put(
        queue,
        new Looked(
            now.weightsVersion(queue),
            waits(queue, now),
            lost(now.slots(queue).orElseThrow(), now),
            unfinished));
  }

  // These are held since they were taken.
  private void noteUnreachable(String queue, FollowedTopology now, List<GrantedSlot> taken) {
    for (GrantedSlot one : taken) {
      one.undrained().stream()
          .filter(now::lost)
          .map(owner -> new UnreachableOwner(one.slot(), one.epoch(), owner))
          .forEach(owner -> unreachable.add(new QueueOwner(queue, owner)));
    }
  }

  // Slots that were taken from an owner that lived, which would have said that its workers have
  // stopped.
  private void hold(String queue, List<UnreachableOwner> owners, long until) {
    Set<QueueOwner> known =
        owners.stream().map(one -> new QueueOwner(queue, one)).collect(Collectors.toSet());
    unreachable.removeIf(one -> one.queue().equals(queue) && !known.contains(one));
    List<Integer> slots =
        known.stream()
            .filter(one -> !unreachable.contains(one))
            .map(one -> one.owner().slot())
            .distinct()
            .toList();
    if (!slots.isEmpty()) {
      commits.always(
          Change.lasting(
              queue,
              s -> {
                s.hold(queue, slots, until);
                return true;
              }));
      unreachable.addAll(known);
    }
  }

  /**
   * Whether what a rescue brings of a lost owner may be merged: the slot is held until the owner's
   * workers have certainly stopped. Otherwise that is looked at now; never blocks.
   */
  boolean holdsFor(String queue, int slot, long epoch, String owner) {
    boolean held =
        unreachable.contains(new QueueOwner(queue, new UnreachableOwner(slot, epoch, owner)));
    if (!held) {
      arrived(queue);
    }
    return held;
  }

  private static Set<String> lost(SlotTable table, FollowedTopology now) {
    Set<String> lost = new HashSet<>();
    table.ranges().forEach(range -> lost.addAll(range.owner().undrained()));
    lost.removeIf(earlier -> !now.lost(earlier));
    return lost;
  }

  /** Slots whose owners have been lost for so long that nothing of them is worked on. */
  private List<GrantedSlot> due(String queue, List<GrantedSlot> lost, Duration hold) {
    Set<Integer> slots = lost.stream().map(GrantedSlot::slot).collect(Collectors.toSet());
    releases.keySet().removeIf(one -> one.queue().equals(queue) && !slots.contains(one.slot()));
    long now = clock.nanoTime();
    List<GrantedSlot> due = new ArrayList<>();
    for (GrantedSlot one : lost) {
      QueueSlot key = new QueueSlot(queue, one.slot());
      Release known = releases.get(key);
      if (known == null || known.epoch() != one.epoch()) {
        releases.put(key, new Release(one.epoch(), now));
      } else if (now - known.since() >= hold.toNanos()) {
        due.add(one);
      }
    }
    return due;
  }

  private void take(String queue, int version, List<GrantedSlot> granted, long holdUntil) {
    if (granted.isEmpty()) {
      return;
    }
    commits.always(
        Change.lasting(
            queue,
            s -> {
              s.take(queue, version, granted, holdUntil);
              return true;
            }));
    LOGGER.debug("{} has taken {} slots of {}", node, granted.size(), queue);
  }

  private void seal(String queue, List<Integer> slots) {
    if (!slots.isEmpty()) {
      commits.carryOut(commits.always(Change.lasting(queue, s -> s.seal(queue, slots))));
    }
  }

  /**
   * Sealed slots for which no move is under way: the node was restarted before it knew how its
   * request ended. It may still be carried out for a while.
   */
  private void unsealOrphans(String queue, List<Integer> sealed) {
    long now = clock.nanoTime();
    orphans
        .keySet()
        .removeIf(
            one ->
                one.queue().equals(queue)
                    && (!sealed.contains(one.slot()) || seals.holds(queue, one.slot())));
    List<Integer> orphaned =
        sealed.stream()
            .filter(slot -> !seals.holds(queue, slot))
            .filter(
                slot ->
                    now - orphans.computeIfAbsent(new QueueSlot(queue, slot), key -> now)
                        >= ORPHANED_AFTER.toNanos())
            .toList();
    if (!orphaned.isEmpty()) {
      commits.carryOut(commits.always(Change.lasting(queue, s -> s.unseal(queue, orphaned))));
      LOGGER.info(
          "{} serves {} slots of {} again that it had not given away",
          node,
          orphaned.size(),
          queue);
    }
  }

  /**
   * Tells a central manager what has arrived, until the row says so, and repeats requests whose
   * outcome is unknown.
   */
  void report() {
    seals.settle();
    for (String queue : drained.keySet()) {
      try {
        report(queue, drained.getOrDefault(queue, Map.of()));
        unreported.succeeded(queue);
      } catch (RuntimeException e) {
        if (e instanceof MillraceException away && away.code() == ErrorCode.UNREACHABLE) {
          // Nobody is there to be told of other queues either.
          throw away;
        }
        unreported.failed(queue, e);
      }
    }
  }

  private void report(String queue, Map<String, Map<Integer, Long>> byOwner) {
    byOwner.forEach(
        (from, slots) ->
            central.sessions().drained(queue, new DrainedSlots(queue, node, from, slots)));
  }

  @Override
  public void start() {
    loop.start();
    reports.start();
  }

  @Override
  public void stop() {
    loop.stop();
    reports.stop();
    sender.stop();
  }
}
