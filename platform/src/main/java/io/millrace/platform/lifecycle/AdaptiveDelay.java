package io.millrace.platform.lifecycle;

import io.millrace.platform.clock.Clock;
import java.time.Duration;

/**
 * A pause between two batches that is as long as the first one took, so that under load the next
 * batch is larger and the cost per item lower. After a longer idle time there is no pause. Not
 * thread-safe; used by one thread.
 */
public final class AdaptiveDelay {
  private final Clock clock;
  private final long longestNanos;
  private final Waiter waiter = new Waiter();
  private long startedAt;
  private long until;

  /**
   * A delay without history.
   *
   * @param longest however long the work takes
   */
  public AdaptiveDelay(Clock clock, Duration longest) {
    this.clock = clock;
    this.longestNanos = longest.toNanos();
    this.until = clock.nanoTime();
  }

  /** Waits for the end of the pause; called right before the next work. */
  public void before() throws InterruptedException {
    waiter.await(left());
    startedAt = clock.nanoTime();
  }

  /** Records that the work is done. */
  public void after() {
    long now = clock.nanoTime();
    until = now + Math.min(now - startedAt, longestNanos);
  }

  /** What is left of the pause; zero or less after it ended. */
  Duration left() {
    return Duration.ofNanos(until - clock.nanoTime());
  }
}
