package io.millrace.loadbalancer.forward;

import io.millrace.loadbalancer.balancing.NodeHealth;
import io.millrace.loadbalancer.balancing.SmoothRoundRobin;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Chooses the node of each batch from the targets in force, leaving out nodes that failed lately.
 * Thread-safe; never blocks for long.
 */
public final class Chooser {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Clock clock;
  private final RandomGenerator random;
  // All guarded by this.
  private final Map<String, SmoothRoundRobin> pickers = new HashMap<>();
  private final NodeHealth health = new NodeHealth(FIRST_PAUSE, LONGEST_PAUSE);
  private Targets targets = Targets.NONE;

  public Chooser(Clock clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  /** Follows new targets from the next choice on. */
  public synchronized void follow(Targets next) {
    targets = next;
    pickers.keySet().retainAll(next.queues());
  }

  /**
   * Chooses a node that was not tried yet; when every other one is failing, a failing one is tried
   * rather than the batch refused.
   *
   * @throws io.millrace.api.problem.MillraceException when the queue is not known
   */
  public synchronized Optional<Target> choose(String queue, Set<String> tried) {
    Map<String, Integer> untried = new HashMap<>(targets.of(queue));
    untried.keySet().removeAll(tried);
    long now = clock.nanoTime();
    Map<String, Integer> usable = new HashMap<>(untried);
    usable.keySet().removeIf(node -> !health.usable(node, now));
    SmoothRoundRobin picker = pickers.computeIfAbsent(queue, q -> new SmoothRoundRobin(random));
    Optional<String> picked = picker.pick(usable.isEmpty() ? untried : usable);
    picked.ifPresent(node -> health.chosen(node, now));
    return picked.map(node -> new Target(node, targets.addresses().get(node)));
  }

  /** The node stored so many events of one batch. */
  public synchronized void stored(String queue, Target target, int events) {
    health.succeeded(target.node());
    SmoothRoundRobin picker = pickers.get(queue);
    if (picker != null) {
      picker.charge(target.node(), events - 1L);
    }
  }

  /** The node answered, though with a refusal. */
  public synchronized void answered(Target target) {
    health.succeeded(target.node());
  }

  /** The node did not answer. */
  public synchronized void failed(Target target) {
    health.failed(target.node(), clock.nanoTime());
  }
}
