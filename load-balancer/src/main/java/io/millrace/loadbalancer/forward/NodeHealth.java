package io.millrace.loadbalancer.forward;

import io.millrace.api.Pure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Tracks nodes that failed recently: a failed node is skipped at once; after a pause one request is
 * sent to it as a probe, and the pause doubles if that fails too. Times are monotonic nanoseconds.
 * Not thread-safe.
 */
@Pure
final class NodeHealth {
  private final Duration firstPause;
  private final Duration longestPause;
  private final Map<String, Failing> failing = new HashMap<>();

  public NodeHealth(Duration firstPause, Duration longestPause) {
    this.firstPause = firstPause;
    this.longestPause = longestPause;
  }

  /** Whether a request may be sent to the node now; true for the probe of a failed node. */
  public boolean usable(String node, long now) {
    Failing state = failing.get(node);
    return state == null || now - state.until >= 0;
  }

  /**
   * A request is sent to the node: if it is a probe, no other is sent until the pause has passed
   * again.
   */
  public void chosen(String node, long now) {
    Failing state = failing.get(node);
    if (state != null) {
      failing.put(node, new Failing(state.pause, now + state.pause.toNanos()));
    }
  }

  /** The node answered. */
  public void succeeded(String node) {
    failing.remove(node);
  }

  /** The node did not answer. */
  public void failed(String node, long now) {
    Failing state = failing.get(node);
    Duration pause =
        state == null ? firstPause : shorter(state.pause.multipliedBy(2), longestPause);
    failing.put(node, new Failing(pause, now + pause.toNanos()));
  }

  /** The node was seen alive: its pause ends, and the next one is short again. */
  public void returned(String node, long now) {
    if (failing.containsKey(node)) {
      failing.put(node, new Failing(firstPause, now));
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private record Failing(Duration pause, long until) {}
}
