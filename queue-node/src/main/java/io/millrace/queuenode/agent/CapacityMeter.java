package io.millrace.queuenode.agent;

import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.membership.ClusterView;
import io.millrace.queuenode.agent.ClusterObserver.NodeReports;
import io.millrace.queuenode.balancing.Capability;
import io.millrace.queuenode.balancing.Capability.NodeWork;
import io.millrace.queuenode.balancing.Capability.NodeWork.QueueWork;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures this node's capacity relative to its neighbours: its configured capacity times its
 * measured speed. Thread-safe.
 */
public final class CapacityMeter implements Service {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final String node;
  private final double configured;
  private final NodeReports reports;
  private final Clock clock;
  private final Loop loop;
  private volatile double speed = 1;
  // Used only by the loop's thread, after the constructor.
  private Capability capability = Capability.UNKNOWN;
  private long lastLook;

  /** A meter that has not started; the view is the caller's to start and stop. */
  public CapacityMeter(String node, double configured, ClusterView view, Clock clock) {
    this.node = node;
    this.configured = configured;
    this.reports = new NodeReports(view);
    this.clock = clock;
    this.lastLook = clock.nanoTime();
    this.loop = new Loop(node + "-capacity", EVERY, this::sample);
  }

  /** The configured capacity times the measured speed; the configured one at first. */
  public double capacity() {
    return configured * speed;
  }

  /** Takes one sample; called by the loop and by tests. */
  void sample() {
    long now = clock.nanoTime();
    List<NodeWork> works = reports.fresh().values().stream().map(CapacityMeter::work).toList();
    capability = capability.next(works, (now - lastLook) / 1e9);
    lastLook = now;
    speed = capability.speed(node);
  }

  private static NodeWork work(QueueNodeReport report) {
    Map<String, QueueWork> queues = new HashMap<>();
    for (SegmentFigures segment : report.segments()) {
      double events = segment.load().puts() + segment.load().gets();
      queues.put(segment.queue(), new QueueWork(events, segment.load().share()));
    }
    return new NodeWork(
        report.name(), report.configuredCapacity(), report.load().load(), Map.copyOf(queues));
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
