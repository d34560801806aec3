package io.millrace.queuenode.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  static int usualRememberedBatches() {
    return RememberedBatches.usualLimit(Runtime.getRuntime().maxMemory());
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

  /** Gives events back. */
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
   * @param most at most so many
   */
  SweepStep requeueDead(String queue, DeadChoice choice, SegmentSweep sweep, long most);

  /**
   * Deletes chosen dead letters, the oldest first.
   *
   * @param most at most so many
   */
  SweepStep dropDead(String queue, DeadChoice choice, SegmentSweep sweep, long most);

  /** Deletes events in a state other than leased, the oldest first. */
  SweepStep purge(String queue, EventState state, SegmentSweep sweep);

  /** Figures of every segment that ever held an event, by queue, as last committed. */
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
}
