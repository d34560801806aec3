package io.millrace.queuenode.load;

import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.load.SegmentLoadRule.SegmentCounters;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Samples the load of each segment on this node, once a second. */
public final class SegmentLoadMeter implements Service {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final SegmentLoadRule rule;
  private final Supplier<Map<String, SegmentCounters>> counters;
  private final Consumer<Map<String, SegmentLoad>> listener;
  private final Clock clock;
  private final Loop loop;
  // Used only by the loop's thread, after the constructor.
  private Map<String, SegmentLoad> loads = Map.of();
  private Map<String, SegmentCounters> last;
  private long lastLook;

  /**
   * A meter that has not started; earlier counts are not load.
   *
   * @param owner the node's name, for the thread's name
   * @param counters of every segment, by queue; must not block
   * @param listener called with every sample, on the meter's thread
   */
  public SegmentLoadMeter(
      String owner,
      SegmentLoadRule rule,
      Supplier<Map<String, SegmentCounters>> counters,
      Consumer<Map<String, SegmentLoad>> listener,
      Clock clock) {
    this.rule = rule;
    this.counters = counters;
    this.listener = listener;
    this.clock = clock;
    this.last = counters.get();
    this.lastLook = clock.nanoTime();
    this.loop = new Loop(owner + "-segment-load", EVERY, this::sample);
  }

  /** Takes one sample; called by the loop and by tests. */
  void sample() {
    long now = clock.nanoTime();
    long elapsed = now - lastLook;
    if (elapsed <= 0) {
      return;
    }
    Map<String, SegmentCounters> counted = counters.get();
    loads = rule.next(loads, last, counted, elapsed / 1e9);
    last = counted;
    lastLook = now;
    listener.accept(loads);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }
}
