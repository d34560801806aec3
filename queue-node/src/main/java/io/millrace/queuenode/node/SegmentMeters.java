package io.millrace.queuenode.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
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
    signal("cpu", load, NodeLoad::cpu);
    signal("store", load, NodeLoad::store);
    signal("disk", load, now -> now.disk() == null ? Double.NaN : now.disk());
    for (NodeState state : NodeState.values()) {
      Gauge.builder("millrace.node.state", load, now -> now.get().state() == state ? 1 : 0)
          .tags("state", state.name().toLowerCase(Locale.ROOT))
          .description("1 for the current state of the node")
          .register(registry);
    }
  }

  private void signal(String name, Supplier<NodeLoad> load, ToDoubleFunction<NodeLoad> part) {
    Gauge.builder("millrace.node.signal", load, now -> part.applyAsDouble(now.get()))
        .tags("signal", name)
        .description("smoothed, 0 to 1; NaN if the system does not report it")
        .register(registry);
  }

  /** Updates the figures, and registers meters of new segments. */
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
    gauge(
        "millrace.segment.load.share",
        Tags.of("queue", queue),
        queue,
        figures -> figures.load().share());
    gauge(
        "millrace.segment.store.seconds",
        Tags.of("queue", queue),
        queue,
        figures -> figures.load().storeSeconds());
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

  /** Meters of remembered batch names (docs/metrics.md). */
  static final class BatchMeters {
    private BatchMeters() {}

    /**
     * Registers the meters.
     *
     * @param store referenced weakly by the meters, so the caller must keep it
     * @param figures called at each scrape, by any thread
     */
    static <S> void register(MeterRegistry registry, S store, Function<S, BatchFigures> figures) {
      Gauge.builder(
              "millrace.store.batches.remembered", store, now -> figures.apply(now).remembered())
          .description("batch names remembered, so that a repeated batch is stored once")
          .register(registry);
      Gauge.builder("millrace.store.batches.limit", store, now -> figures.apply(now).limit())
          .description("the most batch names remembered")
          .register(registry);
      FunctionCounter.builder(
              "millrace.store.batches.forgotten.early",
              store,
              now -> figures.apply(now).forgottenEarly())
          .description("batch names evicted within their ten minutes, because there were too many")
          .register(registry);
    }
  }
}
