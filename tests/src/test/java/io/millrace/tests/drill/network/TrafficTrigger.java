package io.millrace.tests.drill.network;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Does something once when certain words pass over one of the links that watch for them, on the
 * thread that carries them, so that a process dies exactly between two steps of a conversation.
 */
public final class TrafficTrigger {
  private final Direction direction;
  private final String words;
  private final boolean before;
  private final Consumer<Link> action;
  private final AtomicBoolean armed = new AtomicBoolean(true);
  private final CountDownLatch done = new CountDownLatch(1);

  /**
   * A wire that is armed.
   *
   * @param words ASCII
   * @param before whether the action comes before the words are passed on, or after
   * @param action is told which link
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

  /** Takes the wire, for the first who sees the words. */
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

  /**
   * Disarms it; false when it has been tripped already, so that its action happens all the same.
   */
  public boolean cancel() {
    return taken();
  }

  /** Waits until the action has been carried out; false when it was not within the time. */
  public boolean await(long seconds) throws InterruptedException {
    return done.await(seconds, TimeUnit.SECONDS);
  }
}
