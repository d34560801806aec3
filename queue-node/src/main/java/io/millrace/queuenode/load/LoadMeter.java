package io.millrace.queuenode.load;

import io.millrace.api.queue.NodeLoad;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** Samples this node's load once a second. Thread-safe. */
public final class LoadMeter implements Service {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final NodeLoadRule rule;
  private final DoubleSupplier cpu;
  private final LongSupplier storeBusyNanos;
  private final BooleanSupplier holdsSegment;
  private final Clock clock;
  private final Loop loop;
  private volatile NodeLoad current = NodeLoadRule.unmeasured();
  // Only touched by the loop's thread, after the constructor.
  private long lastBusy;
  private long lastLook;

  /**
   * A meter that is not started yet.
   *
   * @param owner the node's name, for the thread's name
   * @param cpu share of the processors in use, 0 to 1
   * @param storeBusyNanos how long the store's writer has worked since its start
   * @param holdsSegment whether the node has weight or unfinished events
   */
  public LoadMeter(
      String owner,
      NodeLoadRule rule,
      DoubleSupplier cpu,
      LongSupplier storeBusyNanos,
      BooleanSupplier holdsSegment,
      Clock clock) {
    this.rule = rule;
    this.cpu = cpu;
    this.storeBusyNanos = storeBusyNanos;
    this.holdsSegment = holdsSegment;
    this.clock = clock;
    this.lastLook = clock.nanoTime();
    this.loop = new Loop(owner + "-load", EVERY, this::sample);
  }

  /** The load now; never blocks. */
  public NodeLoad current() {
    return current;
  }

  /** Takes one sample; the loop does, and tests. */
  void sample() {
    long now = clock.nanoTime();
    long busy = storeBusyNanos.getAsLong();
    long elapsed = Math.max(1, now - lastLook);
    LoadSample sample = new LoadSample(cpu.getAsDouble(), (double) (busy - lastBusy) / elapsed);
    lastBusy = busy;
    lastLook = now;
    current = rule.next(current, sample, holdsSegment.getAsBoolean());
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
