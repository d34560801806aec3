package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether this node may serve sessions: for a time after it began to send the last report that a
 * central manager accepted. After that the central managers may give its slots to another node.
 * Thread-safe; never blocks.
 */
public final class NodeLease {
  /** The length of a lease if no central manager says another one. */
  public static final Duration USUAL = Duration.ofSeconds(10);

  private final String node;
  private final LongSupplier nanos;
  // Guarded by this.
  private boolean renewed;
  private long until;
  private long gap;
  private long since;
  private Duration length = USUAL;

  /**
   * A node that has no lease yet.
   *
   * @param nanos never goes back, and counts the time in which the machine is suspended
   */
  public NodeLease(String node, LongSupplier nanos) {
    this.node = node;
    this.nanos = nanos;
  }

  /** The present, as the argument of {@link #renewed}. */
  public long now() {
    return nanos.getAsLong();
  }

  /**
   * A central manager has accepted a report.
   *
   * @param begun when the node began to send it
   * @param lasting how long the central manager lets it serve; empty if it does not say
   */
  public synchronized void renewed(long begun, Optional<Duration> lasting) {
    length = lasting.orElse(USUAL);
    long end = begun + length.toNanos();
    long now = now();
    if (renewed && until - now <= 0) {
      gap = now - until;
      since = now;
    }
    until = renewed && until - end > 0 ? until : end;
    renewed = true;
  }

  /** Whether it may serve now. */
  public synchronized boolean held() {
    return renewed && until - now() > 0;
  }

  /** The last time for which it could not serve, after it had served; zero if there was none. */
  public synchronized LeaseGap lastGap() {
    return new LeaseGap(Duration.ofNanos(gap), Duration.ofNanos(now() - since));
  }

  /**
   * A gap in a lease.
   *
   * @param length of the gap
   * @param since its end
   */
  public record LeaseGap(Duration length, Duration since) {}

  /** The length of a lease of any node. */
  public synchronized Duration length() {
    return length;
  }

  /**
   * Refuses what needs the lease.
   *
   * @throws MillraceException UNAVAILABLE
   */
  public void require() {
    if (!held()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          node
              + " serves no sessions now, because no central manager has accepted its reports in"
              + " the last "
              + length().toMillis()
              + " ms; try again: another node may have its slots by then");
    }
  }

  /**
   * Refuses to answer for what was carried out meanwhile: the lease may have ended before it was on
   * disk.
   *
   * @throws MillraceException UNAVAILABLE
   */
  public void requireStill() {
    if (!held()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          node
              + " lost its right to serve sessions while it carried this out; whether it counts is"
              + " unknown: send it again, with the same names");
    }
  }
}
