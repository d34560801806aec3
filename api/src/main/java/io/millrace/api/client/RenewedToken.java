package io.millrace.api.client;

import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionWorkerToken;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The token of a session worker, renewed after half of its validity. Whoever looks for queue nodes
 * renews it, so that no call to a queue node waits for a central manager. Thread-safe.
 */
final class RenewedToken implements Supplier<String> {
  private final Supplier<SessionWorkerToken> source;
  private final LongSupplier nanoTime;
  private volatile String token;
  // Monotonic nanoseconds; guarded by this.
  private boolean due = true;
  private long renewAt;

  /**
   * A token that is renewed when it is asked for first.
   *
   * @param first the token until then; null for none
   * @param source asks a central manager; blocks
   */
  RenewedToken(String first, Supplier<SessionWorkerToken> source, LongSupplier nanoTime) {
    this.token = first;
    this.source = source;
    this.nanoTime = nanoTime;
  }

  /** The present token; never blocks on a server. */
  @Override
  public String get() {
    return token;
  }

  /** A queue node has refused the token, whatever the time. */
  synchronized void refused() {
    due = true;
  }

  /**
   * Renews the token if it is time; blocks.
   *
   * @throws MillraceException if that is not possible now; the present one remains
   */
  void renew() {
    synchronized (this) {
      if (!due && nanoTime.getAsLong() - renewAt < 0) {
        return;
      }
    }
    // Not after the answer: the token's time may have begun before.
    long asked = nanoTime.getAsLong();
    SessionWorkerToken issued = source.get();
    synchronized (this) {
      token = issued.token();
      renewAt = asked + issued.validFor().toNanos() / 2;
      due = false;
    }
  }
}
