package io.millrace.queuenode.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Whether this node may serve sessions: for a time after it began to send the last report that a
 * central manager accepted. After that the central managers may give its slots to another node.
 * Reports that are accepted again after that do not say which slots it has still: a new lease
 * begins when the node has followed a topology that it requested after the report was accepted, and
 * has sealed what others have got. Thread-safe; never blocks.
 */
public final class NodeLease {
  /** The length of a lease if no central manager says another one. */
  public static final Duration USUAL = Duration.ofSeconds(10);

  private final String node;
  private final LongSupplier nanos;
  // Guarded by this.
  private boolean accepted;
  private long until;
  private boolean inLine;
  private long followedAt;
  private boolean served;
  private long servedUntil;
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

  /** The present, as the argument of the other methods. */
  public long now() {
    return nanos.getAsLong();
  }

  /**
   * A central manager has accepted a report.
   *
   * @param begun when the node began to send it
   * @param lasting how long the central manager lets it serve; empty if it does not say
   * @return false if the lease has ended, or there was none: then {@link #begins} follows
   */
  public synchronized boolean extended(long begun, Optional<Duration> lasting) {
    if (!runs()) {
      return false;
    }
    length = lasting.orElse(USUAL);
    long end = begun + length.toNanos();
    until = until - end > 0 ? until : end;
    return true;
  }

  /**
   * A lease begins with a report that a central manager has accepted, after which a topology was
   * requested and is followed now.
   */
  public synchronized void begins(long begun, Optional<Duration> lasting) {
    if (inLine) {
      served = true;
      servedUntil = until;
    }
    length = lasting.orElse(USUAL);
    until = begun + length.toNanos();
    accepted = true;
    inLine = false;
    followedAt = now();
  }

  /** Nothing is served that others had got by the topology that was followed at this time. */
  public synchronized void inLine(long at) {
    if (!inLine && runs() && at - followedAt >= 0) {
      inLine = true;
      if (served) {
        since = now();
        gap = since - servedUntil;
      }
    }
  }

  private boolean runs() {
    return accepted && until - now() > 0;
  }

  /** Whether it may serve now. */
  public synchronized boolean held() {
    return inLine && runs();
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
              + " ms, or it does not know yet which slots it has since then; try again: another"
              + " node may have its slots by then");
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
