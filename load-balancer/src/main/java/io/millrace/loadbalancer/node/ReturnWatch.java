package io.millrace.loadbalancer.node;

import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.membership.ClusterView;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Watches the cluster view for queue nodes that report again after a silence, so that one that
 * failed is probed at once. Advisory only: weights and addresses come from the topology. A node
 * that keeps reporting although it does not answer gets no extra probes.
 */
final class ReturnWatch implements Service {
  private static final Duration EVERY = Duration.ofMillis(500);

  private final ClusterView view;
  private final Consumer<String> returned;
  private final Loop loop;
  // Used only by the loop's thread.
  private Set<String> live = Set.of();

  ReturnWatch(String owner, ClusterView view, Consumer<String> returned) {
    this.view = view;
    this.returned = returned;
    this.loop = new Loop(owner + "-view", EVERY, this::check);
  }

  /** One check of the view; the loop's task. */
  void check() {
    Set<String> now = new HashSet<>(view.entries(ClusterView.QUEUE_NODES).keySet());
    now.stream().filter(node -> !live.contains(node)).forEach(returned);
    live = now;
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
