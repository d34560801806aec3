package io.millrace.queuenode.node;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.queuenode.store.GroupCommitter.CommitWatch;
import io.millrace.queuenode.store.SegmentStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Meters of the store's writer (docs/metrics.md). Thread-safe; never blocks. */
final class CommitMeters implements CommitWatch {
  private static final Duration[] BUCKETS = {
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  private final Timer groups;
  private final DistributionSummary requests;
  private final Timer forces;
  private final Counter failures;

  /**
   * Registers the meters.
   *
   * @param store referenced weakly by the meters, so the caller must keep it
   */
  CommitMeters(MeterRegistry registry, SegmentStore store) {
    this.groups =
        Timer.builder("millrace.store.commit")
            .description("time to write a group of requests, with its force to disk")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    this.requests =
        DistributionSummary.builder("millrace.store.group.requests")
            .description("requests that were written together")
            .register(registry);
    this.forces =
        Timer.builder("millrace.store.force")
            .description("time to force the store to disk")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    this.failures =
        Counter.builder("millrace.store.failures")
            .description("groups that failed and were repeated request by request")
            .register(registry);
    Gauge.builder("millrace.store.bytes", store, SegmentStore::diskBytes)
        .description("size of the store on disk")
        .register(registry);
  }

  @Override
  public void committed(int count, long nanos) {
    groups.record(nanos, TimeUnit.NANOSECONDS);
    requests.record(count);
  }

  @Override
  public void failed() {
    failures.increment();
  }

  @Override
  public void forced(long nanos) {
    forces.record(nanos, TimeUnit.NANOSECONDS);
  }
}
