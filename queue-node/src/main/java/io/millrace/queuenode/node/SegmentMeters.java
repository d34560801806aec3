package io.millrace.queuenode.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The node's load and the figures of its segments as meters. One thread calls {@link #refresh}. */
final class SegmentMeters {
  private final MeterRegistry registry;
  private final Supplier<List<SegmentFigures>> figures;
  private final Map<String, SegmentFigures> latest = new ConcurrentHashMap<>();
  // Used only by the thread that refreshes.
  private final Map<String, List<Meter>> meters = new HashMap<>();

  SegmentMeters(
      MeterRegistry registry, Supplier<List<SegmentFigures>> figures, Supplier<NodeLoad> load) {
    this.registry = registry;
    this.figures = figures;
    Gauge.builder("millrace.node.load", load, now -> now.get().load())
        .description("largest of the signals that count, 0 to 1")
        .register(registry);
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

  /** Updates the figures, registers meters of new segments and removes those of deleted ones. */
  void refresh() {
    Set<String> present = new HashSet<>();
    for (SegmentFigures segment : figures.get()) {
      present.add(segment.queue());
      if (latest.put(segment.queue(), segment) == null) {
        meters.put(segment.queue(), register(segment.queue()));
      }
    }
    for (String gone : Set.copyOf(latest.keySet())) {
      if (!present.contains(gone)) {
        meters.remove(gone).forEach(registry::remove);
        latest.remove(gone);
      }
    }
  }

  private List<Meter> register(String queue) {
    Tags tags = Tags.of("queue", queue);
    String events = "millrace.segment.events";
    String kept = "events of the segment by state";
    return List.of(
        gauge(
            "millrace.segment.weight",
            "points of 1000 that the node follows",
            tags,
            queue,
            SegmentFigures::weight),
        gauge(
            "millrace.segment.bytes",
            "size of all events kept",
            tags,
            queue,
            SegmentFigures::bytes),
        gauge(
            "millrace.segment.oldest.seconds",
            "age of the oldest waiting event",
            tags,
            queue,
            SegmentFigures::oldestSeconds),
        gauge(events, kept, state(queue, "waiting"), queue, SegmentFigures::waiting),
        gauge(events, kept, state(queue, "delayed"), queue, SegmentFigures::delayed),
        gauge(events, kept, state(queue, "leased"), queue, SegmentFigures::leased),
        gauge(events, kept, state(queue, "dead"), queue, SegmentFigures::dead),
        gauge(
            "millrace.segment.load.share",
            "the segment's share of its node's load",
            tags,
            queue,
            figures -> figures.load().share()),
        gauge(
            "millrace.segment.store.seconds",
            "time that the store's writer spends on the segment, per second",
            tags,
            queue,
            figures -> figures.load().storeSeconds()),
        counter("inserted", "events stored", queue, SegmentFigures::inserted),
        counter(
            "delivered", "deliveries, repeated ones included", queue, SegmentFigures::delivered),
        counter("acknowledged", "events done", queue, SegmentFigures::acknowledged),
        counter("failed", "deliveries refused as failed", queue, SegmentFigures::failed),
        counter("returned", "deliveries returned or expired", queue, SegmentFigures::returned));
  }

  private static Tags state(String queue, String state) {
    return Tags.of("queue", queue, "state", state);
  }

  private Meter gauge(
      String name,
      String description,
      Tags tags,
      String queue,
      ToDoubleFunction<SegmentFigures> figure) {
    return Gauge.builder(name, latest, all -> value(all, queue, figure))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private Meter counter(
      String what, String description, String queue, ToDoubleFunction<SegmentFigures> figure) {
    return FunctionCounter.builder(
            "millrace.segment." + what, latest, all -> value(all, queue, figure))
        .description(description + " since the store was created")
        .tags("queue", queue)
        .register(registry);
  }

  // A scrape may find a meter that is being removed.
  private static double value(
      Map<String, SegmentFigures> all, String queue, ToDoubleFunction<SegmentFigures> figure) {
    SegmentFigures found = all.get(queue);
    return found == null ? Double.NaN : figure.applyAsDouble(found);
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
