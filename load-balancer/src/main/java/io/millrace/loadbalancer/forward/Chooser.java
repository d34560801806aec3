package io.millrace.loadbalancer.forward;

import io.millrace.loadbalancer.forward.Targets.ForwardTarget;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Chooses the node of each batch from the current targets, skipping nodes that failed recently.
 * Thread-safe; never blocks for long.
 */
public final class Chooser {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Clock clock;
  private final RandomGenerator random;
  private final Consumer<String> skipped;
  // All guarded by this.
  private final Map<String, SmoothRoundRobin> pickers = new HashMap<>();
  private final NodeHealth health = new NodeHealth(FIRST_PAUSE, LONGEST_PAUSE);
  private Targets targets = Targets.NONE;

  /**
   * A chooser without targets.
   *
   * @param random spreads the first choices of several balancers; null for none
   * @param skipped called with each node that is skipped because it failed
   */
  public Chooser(Clock clock, RandomGenerator random, Consumer<String> skipped) {
    this.clock = clock;
    this.random = random;
    this.skipped = skipped;
  }

  /** Number of nodes that can be chosen for at least one queue. */
  public synchronized int nodes() {
    return targets.nodes().size();
  }

  /** How many of them are skipped at present because they failed. */
  public synchronized int failing() {
    long now = clock.nanoTime();
    return (int) targets.nodes().stream().filter(node -> !health.usable(node, now)).count();
  }

  /** Uses new targets from the next choice on. */
  public synchronized void follow(Targets next) {
    targets = next;
    pickers.keySet().retainAll(next.queues());
  }

  /**
   * Chooses a node that was not tried yet; if all others are failing, a failing one is tried rather
   * than refusing the batch.
   *
   * @throws io.millrace.api.MillraceException if the queue is not known
   */
  public synchronized Optional<ForwardTarget> choose(String queue, Set<String> tried) {
    Map<String, Integer> untried = new HashMap<>(targets.of(queue));
    untried.keySet().removeAll(tried);
    long now = clock.nanoTime();
    Map<String, Integer> usable = new HashMap<>(untried);
    usable.keySet().removeIf(node -> failing(node, now));
    SmoothRoundRobin picker = pickers.computeIfAbsent(queue, q -> new SmoothRoundRobin(random));
    Optional<String> picked = picker.pick(usable.isEmpty() ? untried : usable);
    picked.ifPresent(node -> health.chosen(node, now));
    return picked.map(node -> new ForwardTarget(node, targets.addresses().get(node)));
  }

  /** The address of a registered node, with or without weight, for a batch it has seen before. */
  public synchronized Optional<ForwardTarget> registered(String node) {
    return Optional.ofNullable(targets.addresses().get(node))
        .map(address -> new ForwardTarget(node, address));
  }

  /** Throws what {@link #choose} would throw. */
  public synchronized void check(String queue) {
    targets.of(queue);
  }

  /** Charges a node for events beyond the one charged by its choice. */
  public synchronized void charge(String queue, ForwardTarget target, long events) {
    SmoothRoundRobin picker = pickers.get(queue);
    if (picker != null) {
      picker.charge(target.node(), events);
    }
  }

  /** The node answered, possibly with a refusal. */
  public synchronized void answered(ForwardTarget target) {
    health.succeeded(target.node());
  }

  /** The node did not answer. */
  public synchronized void failed(ForwardTarget target) {
    health.failed(target.node(), clock.nanoTime());
  }

  /** The node was seen again: the next request may probe it, regardless of its pause. */
  public synchronized void returned(String node) {
    health.returned(node, clock.nanoTime());
  }

  private boolean failing(String node, long now) {
    if (health.usable(node, now)) {
      return false;
    }
    skipped.accept(node);
    return true;
  }
}
