package io.millrace.loadbalancer.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.loadbalancer.forward.Targets;
import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which node has which slot of each queue of sessions, as of the last topology. Thread-safe; only
 * {@link #awaitOther} blocks.
 */
public final class SlotDirectory {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Both guarded by the lock.
  private Targets targets = Targets.NONE;
  private Map<String, SlotOwners> owners = Map.of();

  /**
   * Uses a new topology from now on.
   *
   * @param next the targets of the same topology, for the queues that accept no events
   */
  public void follow(Topology topology, Targets next) {
    Map<String, String> keys = new HashMap<>();
    topology.queues().stream()
        .filter(queue -> queue.definition().ofSessions())
        .forEach(queue -> keys.put(queue.definition().name(), queue.definition().sessions().key()));
    Map<String, SlotTable> tables = new HashMap<>();
    for (QueueWeights row : topology.weights()) {
      if (row.slots() != null) {
        tables.put(row.queue(), row.slots());
      }
    }
    Map<String, URI> addresses = new HashMap<>();
    for (QueueNodeAddress node : topology.nodes()) {
      addresses.put(node.name(), node.address());
    }
    lock.lock();
    try {
      Map<String, SlotOwners> updated = new HashMap<>();
      keys.forEach(
          (queue, key) ->
              updated.put(queue, SlotOwners.of(queue, key, tables.get(queue), addresses)));
      targets = next;
      owners = updated;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the events of one key of this queue are kept together. */
  public boolean ofSessions(String queue) {
    lock.lock();
    try {
      return owners.containsKey(queue);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The owners of a queue's slots.
   *
   * @throws MillraceException what {@link Targets#of} throws, or NO_SEGMENT if no node has its
   *     slots
   */
  public SlotOwners of(String queue) {
    lock.lock();
    try {
      targets.of(queue);
      SlotOwners known = owners.get(queue);
      if (known == null || known.table() == null) {
        throw new MillraceException(
            ErrorCode.NO_SEGMENT,
            "no queue node has the sessions of '"
                + queue
                + "' yet; try again in a few seconds, and see 'millrace queue show "
                + queue
                + "'");
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until anything of the queue differs from what the caller knows.
   *
   * @return false on timeout
   */
  boolean awaitOther(SlotOwners known, Duration timeout) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long remaining = timeout.toNanos();
      while (known.equals(owners.get(known.queue())) && remaining > 0) {
        remaining = changed.awaitNanos(remaining);
      }
      return !known.equals(owners.get(known.queue()));
    } finally {
      lock.unlock();
    }
  }

  /**
   * The owners of one queue's slots. Immutable.
   *
   * @param key the place of an event's key, as in the queue's definition
   * @param table null while no node has its slots
   * @param addresses of the owners that are registered, by name
   */
  public record SlotOwners(String queue, String key, SlotTable table, Map<String, URI> addresses) {
    static SlotOwners of(String queue, String key, SlotTable table, Map<String, URI> registered) {
      Map<String, URI> addresses = new HashMap<>(registered);
      addresses.keySet().retainAll(table == null ? Map.of().keySet() : table.points().keySet());
      return new SlotOwners(queue, key, table, Map.copyOf(addresses));
    }

    SessionKey keyPlace() {
      return SessionKey.at(key);
    }

    SlotOwner owner(int slot) {
      return table.owner(slot);
    }

    /** Where a node is reached; empty if it is not registered. */
    Optional<ForwardTarget> target(String node) {
      return Optional.ofNullable(addresses.get(node))
          .map(address -> new ForwardTarget(node, address));
    }
  }
}
