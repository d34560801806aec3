package io.millrace.queuenode.load;

import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.load.NodeLoadRule.LoadSample;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** Samples this node's load once a second (H-110, H-112). Thread-safe. */
public final class LoadMeter implements Service {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final NodeLoadRule rule;
  private final LoadSignals signals;
  private final BooleanSupplier holdsSegment;
  private final Clock clock;
  private final Loop loop;
  private volatile NodeLoad current = NodeLoadRule.unmeasured();
  // Only touched by the loop's thread, after the constructor.
  private long lastBusy;
  private OptionalLong lastStalled;
  private long lastLook;

  /**
   * A meter that is not started yet.
   *
   * @param owner the node's name, for the thread's name
   * @param holdsSegment whether the node has weight or unfinished events
   */
  public LoadMeter(
      String owner,
      NodeLoadRule rule,
      LoadSignals signals,
      BooleanSupplier holdsSegment,
      Clock clock) {
    this.rule = rule;
    this.signals = signals;
    this.holdsSegment = holdsSegment;
    this.clock = clock;
    this.lastStalled = signals.diskStalledNanos().get();
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
    long busy = signals.storeBusyNanos().getAsLong();
    OptionalLong stalled = signals.diskStalledNanos().get();
    long elapsed = Math.max(1, now - lastLook);
    LoadSample sample =
        new LoadSample(
            signals.cpu().getAsDouble(),
            (double) (busy - lastBusy) / elapsed,
            diskShare(stalled, elapsed));
    lastBusy = busy;
    lastStalled = stalled;
    lastLook = now;
    current = rule.next(current, sample, holdsSegment.getAsBoolean());
  }

  private Double diskShare(OptionalLong stalled, long elapsed) {
    if (stalled.isEmpty() || lastStalled.isEmpty()) {
      return null;
    }
    return (double) (stalled.getAsLong() - lastStalled.getAsLong()) / elapsed;
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
