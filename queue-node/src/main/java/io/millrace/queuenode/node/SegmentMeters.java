package io.millrace.queuenode.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.api.queue.NodeLoad;
import io.millrace.api.queue.SegmentFigures;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The node's load and the figures of its segments as meters. One thread calls {@link #refresh}. */
final class SegmentMeters {
  private final MeterRegistry registry;
  private final Supplier<List<SegmentFigures>> figures;
  private final Map<String, SegmentFigures> latest = new ConcurrentHashMap<>();

  SegmentMeters(
      MeterRegistry registry, Supplier<List<SegmentFigures>> figures, Supplier<NodeLoad> load) {
    this.registry = registry;
    this.figures = figures;
    Gauge.builder("millrace.node.load", load, now -> now.get().load()).register(registry);
    Gauge.builder("millrace.node.store.busy", load, now -> now.get().store()).register(registry);
  }

  /** Takes new figures, and makes the meters of segments that were not there before. */
  void refresh() {
    for (SegmentFigures segment : figures.get()) {
      if (latest.put(segment.queue(), segment) == null) {
        register(segment.queue());
      }
    }
  }

  private void register(String queue) {
    gauge("millrace.segment.weight", Tags.of("queue", queue), queue, SegmentFigures::weight);
    gauge("millrace.segment.bytes", Tags.of("queue", queue), queue, SegmentFigures::bytes);
    gauge(
        "millrace.segment.oldest.seconds",
        Tags.of("queue", queue),
        queue,
        SegmentFigures::oldestSeconds);
    String events = "millrace.segment.events";
    gauge(events, state(queue, "waiting"), queue, SegmentFigures::waiting);
    gauge(events, state(queue, "delayed"), queue, SegmentFigures::delayed);
    gauge(events, state(queue, "leased"), queue, SegmentFigures::leased);
    gauge(events, state(queue, "dead"), queue, SegmentFigures::dead);
    counter("inserted", queue, SegmentFigures::inserted);
    counter("delivered", queue, SegmentFigures::delivered);
    counter("acknowledged", queue, SegmentFigures::acknowledged);
    counter("failed", queue, SegmentFigures::failed);
    counter("returned", queue, SegmentFigures::returned);
  }

  private static Tags state(String queue, String state) {
    return Tags.of("queue", queue, "state", state);
  }

  private void gauge(
      String name, Tags tags, String queue, ToDoubleFunction<SegmentFigures> figure) {
    Gauge.builder(name, latest, all -> figure.applyAsDouble(all.get(queue)))
        .tags(tags)
        .register(registry);
  }

  private void counter(String what, String queue, ToDoubleFunction<SegmentFigures> figure) {
    FunctionCounter.builder(
            "millrace.segment." + what, latest, all -> figure.applyAsDouble(all.get(queue)))
        .tags("queue", queue)
        .register(registry);
  }
}
