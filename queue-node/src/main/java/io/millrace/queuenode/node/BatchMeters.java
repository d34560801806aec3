package io.millrace.queuenode.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.queuenode.store.BatchFigures;
import java.util.function.Supplier;

/** What the store remembers of batch names as meters (docs/metrics.md). */
final class BatchMeters {
  private BatchMeters() {}

  /**
   * Registers the meters.
   *
   * @param figures asked at each scrape, by any thread
   */
  static void register(MeterRegistry registry, Supplier<BatchFigures> figures) {
    Gauge.builder("millrace.store.batches.remembered", figures, now -> now.get().remembered())
        .description("batch names that are remembered, so that a repetition is stored once")
        .register(registry);
    Gauge.builder("millrace.store.batches.limit", figures, now -> now.get().limit())
        .description("batch names remembered at most")
        .register(registry);
    FunctionCounter.builder(
            "millrace.store.batches.forgotten.early", figures, now -> now.get().forgottenEarly())
        .description("batch names forgotten within their ten minutes, because more came")
        .register(registry);
  }
}
