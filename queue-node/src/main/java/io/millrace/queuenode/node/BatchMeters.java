package io.millrace.queuenode.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import java.util.function.Function;

/** What the store remembers of batch names as meters (docs/metrics.md). */
final class BatchMeters {
  private BatchMeters() {}

  /**
   * Registers the meters.
   *
   * @param store which meters hold weakly: the caller keeps it
   * @param figures asked at each scrape, by any thread
   */
  static <S> void register(MeterRegistry registry, S store, Function<S, BatchFigures> figures) {
    Gauge.builder(
            "millrace.store.batches.remembered", store, now -> figures.apply(now).remembered())
        .description("batch names that are remembered, so that a repetition is stored once")
        .register(registry);
    Gauge.builder("millrace.store.batches.limit", store, now -> figures.apply(now).limit())
        .description("batch names remembered at most")
        .register(registry);
    FunctionCounter.builder(
            "millrace.store.batches.forgotten.early",
            store,
            now -> figures.apply(now).forgottenEarly())
        .description("batch names forgotten within their ten minutes, because more came")
        .register(registry);
  }
}
