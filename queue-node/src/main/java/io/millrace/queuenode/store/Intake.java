package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits the bytes that wait for a store: a caller waits for space, so that a producer faster than
 * the disk is slowed down and not buffered. Thread-safe.
 */
final class Intake {
  private static final int UNIT = 1024;

  private final Semaphore space;
  private final int units;
  private final Duration timeout;
  // Guarded by this.
  private boolean closed;

  Intake(long bytes, Duration timeout) {
    this.units = (int) Math.min(Integer.MAX_VALUE, Math.max(1, bytes / UNIT));
    this.space = new Semaphore(units, true);
    this.timeout = timeout;
  }

  /** Waits for space for the bytes. Nothing is admitted after {@link #close}. */
  void enter(long bytes, Runnable entry) {
    // Requests without bytes must not wait behind those that need space.
    if (bytes > 0 && !acquired(share(bytes))) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "the store of this node is too slow: no space for "
              + bytes
              + " more bytes within "
              + timeout.toSeconds()
              + " s; send again later, or to another node");
    }
    synchronized (this) {
      if (!closed) {
        entry.run();
        return;
      }
    }
    leave(bytes);
    throw new MillraceException(ErrorCode.UNAVAILABLE, "this queue node is stopping; try another");
  }

  private boolean acquired(int share) {
    try {
      return space.tryAcquire(share, timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  void leave(long bytes) {
    if (bytes > 0) {
      space.release(share(bytes));
    }
  }

  /** True for the first call. */
  synchronized boolean close() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  /** At most everything, so that even the largest request is admitted if it is the only one. */
  private int share(long bytes) {
    return (int) Math.min(units, 1 + bytes / UNIT);
  }

  /** A request in the committer, with its outcome until it can be reported. */
  static final class Pending<R> {
    private final Change<R> change;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    // Only touched by the committer's thread.
    private R result;
    private MillraceException refusal;

    Pending(Change<R> change) {
      this.change = change;
    }

    CompletableFuture<R> answer() {
      return answer;
    }

    Change<R> change() {
      return change;
    }

    /** Runs the change; a refusal is an outcome, any other exception fails the transaction. */
    void run(SegmentStore store) {
      result = null;
      refusal = null;
      try {
        result = change.action().apply(store);
      } catch (MillraceException e) {
        refusal = e;
      }
    }

    void complete() {
      if (refusal != null) {
        answer.completeExceptionally(refusal);
      } else {
        answer.complete(result);
      }
    }

    /** Completes with the store's refusal, or otherwise with STORE_FAILURE. */
    void fail(String message, Throwable cause) {
      answer.completeExceptionally(
          cause instanceof MillraceException known
              ? known
              : new MillraceException(
                  ErrorCode.STORE_FAILURE, message + ": " + cause.getMessage(), cause));
    }
  }
}
