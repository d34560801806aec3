package io.millrace.platform.lifecycle;

import io.millrace.platform.clock.Clock;
import java.time.Duration;

/**
 * A pause between two batches as long as the first of them took, so that under load the second one
 * is larger and most of what a batch costs is shared by more. After a longer silence there is none.
 * Not thread-safe; belongs to the thread that works.
 */
public final class AdaptiveDelay {
  private final Clock clock;
  private final long longestNanos;
  private final Waiter waiter = new Waiter();
  private long startedAt;
  private long until;

  /**
   * A rest that nothing was done before.
   *
   * @param longest however long the work takes
   */
  public AdaptiveDelay(Clock clock, Duration longest) {
    this.clock = clock;
    this.longestNanos = longest.toNanos();
    this.until = clock.nanoTime();
  }

  /** Waits for the end of the pause after the work before; call it right before the next. */
  public void before() throws InterruptedException {
    waiter.await(left());
    startedAt = clock.nanoTime();
  }

  /** Notes that the work is done. */
  public void after() {
    long now = clock.nanoTime();
    until = now + Math.min(now - startedAt, longestNanos);
  }

  /** What is left of the pause; zero or less when it is over. */
  Duration left() {
    return Duration.ofNanos(until - clock.nanoTime());
  }
}
