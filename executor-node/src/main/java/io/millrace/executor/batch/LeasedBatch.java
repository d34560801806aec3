package io.millrace.executor.batch;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.execution.RunningCommand;
import io.millrace.platform.clock.Clock;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker's leased events, from the lease to their acknowledgement or refusal.
 *
 * <p>The lease is extended after each third of its time, so that a lost call does no harm. Its end
 * is computed from before the call that granted it, so never later than the queue node's.
 * Thread-safe; no method blocks.
 */
public final class LeasedBatch implements WorkerEvents {
  private static final Logger LOGGER = LoggerFactory.getLogger(LeasedBatch.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final int SERVER_FAULT = 500;

  private final BatchRecord record;
  private final BatchCalls calls;
  private final LeasedSegment segment;
  // Used by one extension at a time, alternately on the timer and the pool.
  private volatile List<String> receipts;
  private volatile long leasedUntil;
  private volatile boolean closing;
  private volatile Future<?> nextCall = CompletableFuture.completedFuture(null);

  /** A batch whose lease begins now. */
  public LeasedBatch(BatchRecord record, BatchCalls calls) {
    this.record = record;
    this.calls = calls;
    this.segment = new LeasedSegment(calls, record.node(), record.queueNode(), record.token());
    this.receipts = record.receipts();
    this.leasedUntil = calls.clock().nanoTime() + record.lease().toNanos();
  }

  @Override
  public int size() {
    return record.receipts().size();
  }

  @Override
  public Optional<String> alone() {
    return Optional.ofNullable(record.alone());
  }

  /** Starts to extend the lease, first after a third of its time. */
  void keep() {
    extendAfter(record.lease().dividedBy(3));
  }

  /** Starts with an immediate extension, because the remaining time of the lease is unknown. */
  void keepFromNow() {
    calls.calls().execute(this::extend);
  }

  @Override
  public void started(RunningCommand process) {
    keep();
  }

  @Override
  public void recovered(RunningCommand process) {
    keepFromNow();
  }

  @Override
  public void stopping() {
    // It has all its events already.
  }

  /** Ends the extensions and reports the verdict for all events. */
  @Override
  public CompletableFuture<BatchClosing> close(BatchVerdict verdict) {
    closing = true;
    nextCall.cancel(false);
    CompletableFuture<BatchClosing> closed = new CompletableFuture<>();
    calls.calls().execute(() -> report(verdict, FIRST_PAUSE, closed));
    return closed;
  }

  private void extend() {
    if (closing) {
      return;
    }
    Duration lease = record.lease();
    long asked = calls.clock().nanoTime();
    try {
      ReceiptAnswer answer =
          segment.client().extend(record.queue(), new Extension(receipts, lease));
      leasedUntil = asked + lease.toNanos();
      drop(answer.stale());
      extendAfter(lease.dividedBy(3));
    } catch (RuntimeException e) {
      LOGGER.debug("could not extend the lease of {}", record, e);
      segment.seek(e);
      extendAfter(shorter(lease.dividedBy(3), LONGEST_PAUSE));
    }
  }

  private void drop(List<String> stale) {
    if (stale != null && !stale.isEmpty()) {
      LOGGER.warn(
          "{} of {} were delivered again while their worker was running", stale.size(), record);
      receipts = receipts.stream().filter(receipt -> !stale.contains(receipt)).toList();
      // Nothing is left to extend; the worker's end is reported nevertheless.
      closing |= receipts.isEmpty();
    }
  }

  private void report(
      BatchVerdict verdict, Duration pause, CompletableFuture<BatchClosing> closed) {
    try {
      closed.complete(BatchClosing.answered(report(verdict), size()));
    } catch (MillraceException e) {
      boolean permanent = e.code().status() < SERVER_FAULT;
      if (permanent || calls.clock().nanoTime() + pause.toNanos() - leasedUntil > 0) {
        LOGGER.warn("could not close {}; they are delivered again", record, e);
        closed.complete(BatchClosing.failed(e.getMessage()));
      } else {
        segment.seek(e);
        Duration next = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        nextCall = after(pause, () -> report(verdict, next, closed));
      }
    } catch (RuntimeException e) {
      LOGGER.error("could not close {}", record, e);
      closed.complete(BatchClosing.failed(String.valueOf(e)));
    }
  }

  // All receipts, including stale ones, which the answer then counts.
  private ReceiptAnswer report(BatchVerdict verdict) {
    if (verdict instanceof BatchVerdict.Refuse refuse) {
      return segment
          .client()
          .refuse(
              record.queue(), new Refusal(record.receipts(), refuse.kind(), null, refuse.reason()));
    }
    return segment.client().acknowledge(record.queue(), new Acknowledgement(record.receipts()));
  }

  private void extendAfter(Duration delay) {
    if (!closing) {
      nextCall = after(delay, this::extend);
    }
  }

  private Future<?> after(Duration delay, Runnable call) {
    return calls
        .timer()
        .schedule(() -> calls.calls().execute(call), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * The outcome of closing a batch.
   *
   * @param note human-readable, if something failed
   */
  public record BatchClosing(Optional<String> note) {
    static BatchClosing answered(ReceiptAnswer answer, int receipts) {
      int stale = answer.stale() == null ? 0 : answer.stale().size();
      if (stale == 0) {
        return new BatchClosing(Optional.empty());
      }
      return new BatchClosing(
          Optional.of(
              stale
                  + " of "
                  + receipts
                  + " events had been closed before, or their lease had expired and they are delivered"
                  + " again"));
    }

    static BatchClosing failed(String reason) {
      return new BatchClosing(
          Optional.of(
              "the result could not be reported to the queue node, so the events are delivered again: "
                  + reason));
    }
  }

  /**
   * What is needed for calls to queue nodes.
   *
   * @param transport the node's transport
   * @param clock times leases
   * @param timer wakes extensions and repetitions; never blocked
   * @param calls where the calls block
   * @param streams runs the threads of streams, as many as there are
   * @param addresses a queue node's current address by its name, from the central managers; blocks,
   *     and may fail with a MillraceException
   */
  public record BatchCalls(
      HttpTransport transport,
      Clock clock,
      ScheduledExecutorService timer,
      Executor calls,
      Executor streams,
      Function<String, Optional<URI>> addresses) {

    QueueClient client(URI queueNode, String token) {
      return new QueueClient(
          new ApiClient(transport, new Endpoints(List.of(queueNode)), () -> token));
    }
  }

  /**
   * What is needed to extend and close a leased batch; kept on disk while its worker runs, so that
   * a restarted agent can continue.
   *
   * @param queue the queue
   * @param node name of the queue node that holds the segment
   * @param queueNode the node's address when the batch was leased
   * @param token valid only for this queue and attempt
   * @param receipts of all events of the batch
   * @param lease how long one extension lasts
   * @param alone id of the event if it is the only one; null for several
   */
  public record BatchRecord(
      String queue,
      String node,
      URI queueNode,
      String token,
      List<String> receipts,
      Duration lease,
      String alone) {
    public BatchRecord {
      receipts = List.copyOf(receipts);
    }

    @Override
    public String toString() {
      return receipts.size() + " events of queue " + queue + " at " + node;
    }
  }
}
