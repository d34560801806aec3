package io.millrace.tests.drill.network;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs an action once when a text passes over one of the watched links, on the thread that carries
 * it, so that a process dies exactly between two steps of a protocol.
 */
public final class TrafficTrigger {
  private final Direction direction;
  private final String words;
  private final boolean before;
  private final Consumer<Link> action;
  private final AtomicBoolean armed = new AtomicBoolean(true);
  private final CountDownLatch done = new CountDownLatch(1);

  /**
   * An armed trigger.
   *
   * @param words the text, in ASCII
   * @param before whether the action runs before the text is passed on, or after
   * @param action receives the link
   */
  public TrafficTrigger(Direction direction, String words, boolean before, Consumer<Link> action) {
    this.direction = direction;
    this.words = words;
    this.before = before;
    this.action = action;
  }

  Direction direction() {
    return direction;
  }

  String words() {
    return words;
  }

  boolean before() {
    return before;
  }

  /** Claims the trigger for the first link that sees the text. */
  boolean taken() {
    return armed.compareAndSet(true, false);
  }

  void act(Link link) {
    try {
      action.accept(link);
    } finally {
      done.countDown();
    }
  }

  boolean over() {
    return !armed.get();
  }

  /** Disarms it; false if it has already fired, so that its action still runs. */
  public boolean cancel() {
    return taken();
  }

  /** Waits until the action has run; false on timeout. */
  public boolean await(long seconds) throws InterruptedException {
    return done.await(seconds, TimeUnit.SECONDS);
  }
}
