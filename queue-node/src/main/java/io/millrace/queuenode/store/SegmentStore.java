package io.millrace.queuenode.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * All segments of one queue node. Changes, {@link #dead}, {@link #commit}, {@link #rollback} and
 * {@link #force} belong to one thread, and a change counts from the commit that follows it; {@link
 * #term}, {@link #due} and {@link #totals} may be called by any thread.
 *
 * <p>A change that throws a {@link io.millrace.api.problem.MillraceException} has changed nothing;
 * after any other exception the transaction must be rolled back.
 */
public interface SegmentStore extends AutoCloseable {
  /** Rises by one with every opening, so that receipts of several openings differ. */
  long term();

  /**
   * Stores a batch.
   *
   * @throws io.millrace.api.problem.MillraceException QUEUE_FULL, or CONFLICT when another batch of
   *     that name was stored
   */
  PutOutcome put(PutOrder order);

  /**
   * Leases ready events, oldest first. An event that must be delivered singly is a batch of its
   * own.
   */
  List<LeasedEvent> lease(LeaseOrder order);

  /** Forgets events that are done. */
  ReceiptOutcome acknowledge(String queue, List<Receipt> receipts);

  /** Gives events back. */
  ReceiptOutcome refuse(RefuseOrder order);

  /** Leases the events for so long from now on. */
  ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease);

  /**
   * Returns events whose lease has ended, makes ready those whose delay has passed, and forgets
   * batch names older than ten minutes, at most some thousands at once; {@link #due} tells whether
   * more is to be done.
   *
   * @return how many events of each queue became ready
   */
  Map<String, Integer> expire(Function<String, DeliveryLimits> limits);

  /** Whether {@link #expire} has something to do now. */
  boolean due();

  /** The newest dead letters of a queue, newest first. */
  List<DeadRecord> dead(String queue, int limit);

  /** Figures of every segment that ever held an event, by queue, as last committed. */
  Map<String, SegmentTotals> totals();

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
