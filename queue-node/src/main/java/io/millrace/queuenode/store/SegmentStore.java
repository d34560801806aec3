package io.millrace.queuenode.store;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval.RemovalStep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep.SweepStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * All segments of one queue node. Changes, {@link #stored}, {@link #peek}, {@link #dead}, {@link
 * #commit}, {@link #rollback} and {@link #force} belong to one thread, and a change takes effect
 * with the next commit; {@link #term}, {@link #due}, {@link #totals}, {@link #troubles}, {@link
 * #diskBytes} and {@link #batches} may be called by any thread.
 *
 * <p>A change that throws a {@link io.millrace.api.MillraceException} has changed nothing; after
 * any other exception the transaction must be rolled back. Operations on a queue whose events
 * cannot be read are rejected with STORE_FAILURE; other queues are not affected.
 */
public interface SegmentStore extends TransactionalStore, AutoCloseable {
  /** The lowest term of a store that was restored; nobody opens a store that often. */
  long RESTORED = 1_000_000;

  /**
   * The default number of batch names remembered: one for each 512 bytes of this process's maximum
   * heap, 10,000 to 4,000,000.
   */
  static int defaultRememberedBatches() {
    return RememberedBatches.defaultLimit(Runtime.getRuntime().maxMemory());
  }

  /** Incremented at every opening, so that receipts of different openings differ. */
  long term();

  /**
   * Stores a batch.
   *
   * @throws io.millrace.api.MillraceException QUEUE_FULL, RATE_LIMITED, INVALID_REQUEST if the
   *     batch can never fit, or CONFLICT if another batch of that name was stored
   */
  PutOutcome put(PutOrder order);

  /**
   * What was stored earlier under the batch's name; empty if the name is unknown.
   *
   * @throws io.millrace.api.MillraceException CONFLICT if another batch of that name was stored
   */
  Optional<PutOutcome> stored(BatchLookup lookup);

  /**
   * Leases ready events, the highest priority first, then the oldest. An event that must be
   * delivered alone forms its own batch.
   */
  List<LeasedEvent> lease(LeaseOrder order);

  /** Deletes events that are done. */
  ReceiptOutcome acknowledge(String queue, List<Receipt> receipts);

  /** Returns events. */
  ReceiptOutcome refuse(RefuseOrder order);

  /** Extends the leases to the given time from now. */
  ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease);

  /**
   * Returns events whose lease has ended, makes ready those whose delay has passed, applies the
   * queues' retention, and forgets batch names older than ten minutes, at most some thousands at
   * once; {@link #due} reports whether more remains.
   *
   * @param rules of every queue that has events
   * @return how many events of each queue became ready
   */
  Map<String, Integer> expire(Function<String, QueueRules> rules);

  /** Whether {@link #expire} has work to do now. */
  boolean due(Function<String, QueueRules> rules);

  /**
   * Reads unfinished events without leasing them: ready ones in the order of leasing, others by
   * age. Fewer than requested if they are large.
   */
  List<PeekedRecord> peek(String queue, EventState state, int limit);

  /**
   * Dead letters of a queue with sequence numbers below the given one, newest first. Fewer than
   * requested, but more than 8 MiB, if they are large.
   */
  List<DeadRecord> dead(String queue, long beforeSeq, int limit);

  /**
   * Requeues chosen dead letters with their failure counts reset, the oldest first.
   *
   * @param max the maximum number of events
   */
  SweepStep requeueDead(String queue, DeadChoice choice, SegmentSweep sweep, long max);

  /**
   * Replaces a dead letter by a ready event of the same id, attributes and priority with other
   * data, which was never delivered.
   *
   * @param data JSON text in UTF-8, on one line
   * @return the dead letter
   * @throws io.millrace.api.MillraceException UNKNOWN_DEAD_LETTER if there is none of that number
   */
  DeadRecord requeueChanged(String queue, long seq, byte[] data);

  /**
   * Deletes chosen dead letters, the oldest first.
   *
   * @param max the maximum number of events
   */
  SweepStep dropDead(String queue, DeadChoice choice, SegmentSweep sweep, long max);

  /** Deletes events in a state other than leased, the oldest first. */
  SweepStep purge(String queue, EventState state, SegmentSweep sweep);

  /**
   * Refuses puts under the deleted version of a queue's definition or an earlier one from now on,
   * until this store is closed, with QUEUE_DELETING; then one step of removing the queue's segment,
   * if it began under such a version. A segment of a later version is not touched, nor one that has
   * accepted events under a later version since this store was opened.
   */
  RemovalStep remove(SegmentRemoval removal);

  /** The highest number that an event of this store ever had; 0 for none. */
  long lastSeq();

  /**
   * Events of every state with numbers above the one and up to the other, in their order, for a
   * backup. Fewer than there are if they are large. An event that is not on the page of its number
   * was not stored yet or has ended.
   */
  StoredEvents copy(String queue, long after, long upTo);

  /**
   * Stores events of a backup, under new numbers and whatever the limits of the queue; leased ones
   * are ready again.
   *
   * @param version of the queue's definition under which its segment began
   */
  void restore(String queue, int version, List<StoredEvent> events);

  /**
   * Raises the term to at least that value and commits, so that older receipts are refused. Above
   * the terms that stores reach by being opened, events get higher numbers too.
   */
  void raiseTermTo(long floor);

  /** Figures of every segment that has held events, by queue, as last committed. */
  Map<String, SegmentTotals> totals();

  /** Why queues are not served, by name; empty if all are. */
  Map<String, String> troubles();

  /** Bytes on disk. */
  long diskBytes();

  /** The number of batch names remembered, and its limit. */
  BatchFigures batches();

  /** Closes the store without committing, and releases it for the next process. */
  @Override
  void close();

  /**
   * An unfinished event in the store.
   *
   * @param seq its number in the store
   * @param event as it was put
   * @param state its current state
   * @param storedAt wall time in milliseconds
   * @param heldMillis until its lease or delay ends; 0 if it is ready
   * @param deliveries how often it was delivered
   * @param failures failures charged to it
   */
  record PeekedRecord(
      long seq,
      NewEvent event,
      EventState state,
      long storedAt,
      long heldMillis,
      int deliveries,
      int failures) {}

  /**
   * A dead letter.
   *
   * @param seq its number in the store, by which dead letters are paged and selected
   * @param event as it was put
   * @param failures failures charged to it
   * @param returns deliveries lost through no fault of the event
   * @param reason the reason of the last refusal; null if unknown
   * @param diedAt when it became a dead letter
   */
  record DeadRecord(
      long seq, NewEvent event, int failures, int returns, String reason, Instant diedAt) {}

  /**
   * Selects dead letters; every condition given must hold. Pure.
   *
   * @param seqs the sequence numbers; null for any
   * @param ids the events' ids; null for any
   * @param reasonContains text that the reason contains; null for any
   * @param diedBy latest time of death; null for any
   */
  record DeadChoice(Set<Long> seqs, Set<String> ids, String reasonContains, Instant diedBy) {
    /** Every dead letter. */
    public static final DeadChoice ALL = new DeadChoice(null, null, null, null);

    /** Whether the reason must be read to decide. */
    boolean needsReason() {
      return reasonContains != null;
    }

    boolean takes(Rows.Row row, String reason) {
      return (seqs == null || seqs.contains(row.delivery().seq()))
          && (ids == null || ids.contains(row.event().id()))
          && (reasonContains == null || (reason != null && reason.contains(reasonContains)))
          && (diedBy == null || row.delivery().heldAt() <= diedBy.toEpochMilli());
    }
  }

  /**
   * The figures of batch names, as last committed.
   *
   * @param remembered names remembered now
   * @param limit the most names remembered
   * @param forgottenEarly names evicted within ten minutes since the store was opened, because the
   *     limit was exceeded
   */
  record BatchFigures(long remembered, long limit, long forgottenEarly) {}

  /**
   * Leases ready events, the oldest first.
   *
   * @param queue the queue's name
   * @param max the most events
   * @param maxBytes the most bytes; at least one event is leased anyway
   * @param lease how long they are leased
   */
  record LeaseOrder(String queue, int max, long maxBytes, Duration lease) {

    /**
     * One leased event.
     *
     * @param receipt acknowledges this delivery
     * @param attempt one more than the failures charged to the event
     * @param event as it was put
     */
    public record LeasedEvent(Receipt receipt, int attempt, NewEvent event) {}
  }

  /**
   * The rules of a queue's definition for failing and expiring events.
   *
   * @param limits when an event becomes a dead letter
   * @param retention how long an event may wait before it becomes a dead letter; null for no limit
   * @param deadRetention how long a dead letter is kept; null for no limit
   */
  record QueueRules(DeliveryLimits limits, Duration retention, Duration deadRetention) {
    /** Those of a definition. */
    public static QueueRules of(QueueDefinition definition) {
      return new QueueRules(
          new DeliveryLimits(definition.maxAttempts(), definition.maxReturns()),
          definition.retention(),
          definition.deadRetention());
    }

    /** Rules of a queue without retention. */
    public static QueueRules of(DeliveryLimits limits) {
      return new QueueRules(limits, null, null);
    }

    /**
     * When an event becomes a dead letter.
     *
     * @param maxAttempts failures charged to the event
     * @param maxReturns deliveries lost through no fault of the event
     */
    public record DeliveryLimits(int maxAttempts, int maxReturns) {}
  }

  /**
   * The part of a segment that a stepwise action has not processed yet. Steps keep a long action
   * from blocking the writer and from touching events that arrive later.
   *
   * @param after sequence numbers up to here are done
   * @param upTo higher ones are not processed
   */
  record SegmentSweep(long after, long upTo) {
    /** Everything that the segment holds at the first step. */
    public static final SegmentSweep ALL = new SegmentSweep(0, Long.MAX_VALUE);

    SegmentSweep from(long done) {
      return new SegmentSweep(done, upTo);
    }

    SegmentSweep notAbove(long last) {
      return new SegmentSweep(after, Math.min(upTo, last));
    }

    /**
     * One step of an action on many events.
     *
     * @param events events processed
     * @param rest what remains; empty when done
     */
    public record SweepStep(int events, Optional<SegmentSweep> rest) {
      static final SweepStep NOTHING = new SweepStep(0, Optional.empty());
    }
  }

  /**
   * The removal of a queue's segment.
   *
   * @param queue the queue's name
   * @param version of its definition that was deleted
   * @param discard whether its events are deleted; otherwise it is removed once it has none
   */
  record SegmentRemoval(String queue, int version, boolean discard) {
    /**
     * One step of a removal.
     *
     * @param events events deleted
     * @param more whether a further step deletes more
     * @param gone whether there is no segment of the deleted version any more
     */
    public record RemovalStep(int events, boolean more, boolean gone) {}
  }

  /**
   * Returns leased events.
   *
   * @param queue the queue's name
   * @param receipts the deliveries to end
   * @param kind why the delivery ended
   * @param delay time before the next delivery
   * @param reason for the dead letter; null if unknown
   * @param limits when events become dead letters
   */
  record RefuseOrder(
      String queue,
      List<Receipt> receipts,
      RefusalKind kind,
      Duration delay,
      String reason,
      DeliveryLimits limits) {}

  /**
   * The outcome of processing receipts.
   *
   * @param done receipts that were valid
   * @param stale receipts whose lease had ended
   * @param dead events that became dead letters
   * @param ready events that can be leased again immediately
   */
  record ReceiptOutcome(int done, List<Receipt> stale, int dead, int ready) {}
}
