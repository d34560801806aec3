package io.millrace.queuenode.store;

import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.Receipt.ReceiptOutcome;
import io.millrace.queuenode.store.Receipt.RefuseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
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
 * #commit}, {@link #rollback} and {@link #force} belong to one thread, and a change counts from the
 * commit that follows it; {@link #term}, {@link #due}, {@link #totals}, {@link #troubles}, {@link
 * #diskBytes} and {@link #batches} may be called by any thread.
 *
 * <p>A change that throws a {@link io.millrace.api.MillraceException} has changed nothing; after
 * any other exception the transaction must be rolled back. Whatever concerns a queue whose events
 * cannot be read is refused with STORE_FAILURE; other queues go on.
 */
public interface SegmentStore extends AutoCloseable {
  /**
   * How many batch names a store remembers when nobody says: one for each 512 bytes of the largest
   * heap of this process, 10,000 to 4,000,000.
   */
  static int defaultRememberedBatches() {
    return RememberedBatches.defaultLimit(Runtime.getRuntime().maxMemory());
  }

  /** Rises by one with every opening, so that receipts of several openings differ. */
  long term();

  /**
   * Stores a batch.
   *
   * @throws io.millrace.api.MillraceException QUEUE_FULL, RATE_LIMITED, INVALID_REQUEST when the
   *     batch would never fit, or CONFLICT when another batch of that name was stored
   */
  PutOutcome put(PutOrder order);

  /**
   * What an earlier order of the batch's name has stored; empty when the name is not remembered.
   *
   * @throws io.millrace.api.MillraceException CONFLICT when another batch of that name was stored
   */
  Optional<PutOutcome> stored(BatchLookup lookup);

  /**
   * Leases ready events, the highest priority first, then the oldest. An event that must be
   * delivered singly is a batch of its own.
   */
  List<LeasedEvent> lease(LeaseOrder order);

  /** Forgets events that are done. */
  ReceiptOutcome acknowledge(String queue, List<Receipt> receipts);

  /** Returns events. */
  ReceiptOutcome refuse(RefuseOrder order);

  /** Leases the events for so long from now on. */
  ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease);

  /**
   * Returns events whose lease has ended, makes ready those whose delay has passed, ends what is
   * older than its queue's retention, and forgets batch names older than ten minutes, at most some
   * thousands at once; {@link #due} tells whether more is to be done.
   *
   * @param rules of every queue that has events
   * @return how many events of each queue became ready
   */
  Map<String, Integer> expire(Function<String, QueueRules> rules);

  /** Whether {@link #expire} has something to do now. */
  boolean due(Function<String, QueueRules> rules);

  /**
   * Unfinished events as they are, none of them taken: ready ones in the order of the leases,
   * others by age. Fewer than asked for when they are large.
   */
  List<PeekedRecord> peek(String queue, EventState state, int limit);

  /** Dead letters of a queue with sequence numbers below the given one, newest first. */
  List<DeadRecord> dead(String queue, long beforeSeq, int limit);

  /**
   * Makes chosen dead letters ready again, uncharged, the oldest first.
   *
   * @param max the maximum number of events
   */
  SweepStep requeueDead(String queue, DeadChoice choice, SegmentSweep sweep, long max);

  /**
   * Deletes chosen dead letters, the oldest first.
   *
   * @param max the maximum number of events
   */
  SweepStep dropDead(String queue, DeadChoice choice, SegmentSweep sweep, long max);

  /** Deletes events in a state other than leased, the oldest first. */
  SweepStep purge(String queue, EventState state, SegmentSweep sweep);

  /** Figures of every segment that has held events, by queue, as last committed. */
  Map<String, SegmentTotals> totals();

  /** Why queues are not served, by name; empty while all is well. */
  Map<String, String> troubles();

  /** Bytes on disk. */
  long diskBytes();

  /** How many batch names are remembered, and how many may be. */
  BatchFigures batches();

  /** Makes the changes since the last commit last through the end of this process. */
  void commit();

  /** Undoes the changes since the last commit. */
  void rollback();

  /** Makes what was committed last through the loss of power. Blocks for the disk. */
  void force();

  /** Commits nothing, frees the store for the next process. */
  @Override
  void close();

  /**
   * An unfinished event as the store has it.
   *
   * @param seq its number in the store
   * @param event as it was put
   * @param state where it is in its life
   * @param storedAt wall time in milliseconds
   * @param heldMillis until its lease or delay ends; 0 when it is ready
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
   * @param seq its number in the store, by which dead letters are paged and named
   * @param event as it was put
   * @param failures failures charged to it
   * @param returns deliveries lost without its fault
   * @param reason the last refusal's words; null if unknown
   * @param diedAt when it was given up
   */
  record DeadRecord(
      long seq, NewEvent event, int failures, int returns, String reason, Instant diedAt) {}

  /**
   * Which dead letters are meant; every condition that is given must hold. Pure.
   *
   * @param seqs of these sequence numbers; null for any
   * @param ids of events with these ids; null for any
   * @param reasonContains whose reason holds this text; null for any
   * @param diedBy that died no later; null for any
   */
  record DeadChoice(Set<Long> seqs, Set<String> ids, String reasonContains, Instant diedBy) {
    /** Every dead letter. */
    public static final DeadChoice ALL = new DeadChoice(null, null, null, null);

    /** Whether the reason must be known for the choice. */
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
   * What a store knows of batch names, as last committed.
   *
   * @param remembered names remembered now
   * @param limit names remembered at most
   * @param forgottenEarly names forgotten since the store was opened before their ten minutes were
   *     over, because more came than are remembered
   */
  record BatchFigures(long remembered, long limit, long forgottenEarly) {}

  /**
   * Takes ready events, the oldest first.
   *
   * @param queue the queue's name
   * @param max at most so many events
   * @param maxBytes at most so many bytes, but at least one event
   * @param lease how long they are leased
   */
  record LeaseOrder(String queue, int max, long maxBytes, Duration lease) {

    /**
     * One event in the hands of a worker.
     *
     * @param receipt what acknowledges this delivery
     * @param attempt one more than the failures charged to the event
     * @param event as it was put
     */
    public record LeasedEvent(Receipt receipt, int attempt, NewEvent event) {}
  }

  /**
   * What a queue's definition says of the life of its events.
   *
   * @param limits when an event is given up
   * @param retention how long an event waits before it becomes a dead letter; null for ever
   * @param deadRetention how long a dead letter is kept; null for ever
   */
  record QueueRules(DeliveryLimits limits, Duration retention, Duration deadRetention) {
    /** Of a queue that keeps its events for ever. */
    public static QueueRules of(DeliveryLimits limits) {
      return new QueueRules(limits, null, null);
    }

    /**
     * When an event is given up.
     *
     * @param maxAttempts failures charged to the event
     * @param maxReturns deliveries lost without its fault
     */
    public record DeliveryLimits(int maxAttempts, int maxReturns) {}
  }

  /**
   * The part of a segment that an action in steps still has before it, so that a long one does not
   * keep the writer from its other work and does not touch what arrives meanwhile.
   *
   * @param after sequence numbers up to here are done
   * @param upTo those above are not concerned
   */
  record SegmentSweep(long after, long upTo) {
    /** All that the segment holds when the first step is made. */
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
     * @param events events that it concerned
     * @param rest what is left to do; empty when all is done
     */
    public record SweepStep(int events, Optional<SegmentSweep> rest) {
      static final SweepStep NOTHING = new SweepStep(0, Optional.empty());
    }
  }
}
