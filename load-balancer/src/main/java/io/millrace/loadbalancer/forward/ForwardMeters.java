package io.millrace.loadbalancer.forward;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.millrace.api.event.SendAnswer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Meters of forwarding, by queue and queue node (docs/metrics.md). Only queues and nodes of the
 * topology become labels, so that their number stays bounded. Thread-safe.
 */
public final class ForwardMeters {
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(15)
  };

  private final MeterRegistry registry;
  private final AtomicInteger inFlight;
  private final Counter forgottenEarly;
  private final LongAdder accepted = new LongAdder();

  public ForwardMeters(MeterRegistry registry) {
    this.registry = registry;
    this.inFlight = registry.gauge("millrace.balancer.batches.in.flight", new AtomicInteger());
    this.forgottenEarly = registry.counter("millrace.balancer.batches.forgotten.early");
  }

  /** Events forwarded since the start. */
  public long accepted() {
    return accepted.sum();
  }

  /** A node was skipped because it had failed. */
  public void skipped(String node) {
    registry.counter("millrace.balancer.skipped", "queue_node", node).increment();
  }

  /** A batch's name was evicted within its ten minutes, because there were too many. */
  void forgottenEarly() {
    forgottenEarly.increment();
  }

  void sending() {
    inFlight.incrementAndGet();
  }

  void sent(String node, String outcome, long nanos) {
    inFlight.decrementAndGet();
    Timer.builder("millrace.balancer.forward")
        .tags("queue_node", node, "outcome", outcome)
        .serviceLevelObjectives(BUCKETS)
        .register(registry)
        .record(Duration.ofNanos(nanos));
  }

  void stored(Batch batch, String node, SendAnswer answer) {
    accepted.add(answer.accepted());
    Tags where = Tags.of("queue", batch.queue(), "queue_node", node);
    String outcome = answer.repeated() ? "repeated" : "stored";
    registry
        .counter("millrace.balancer.events", where.and("outcome", outcome))
        .increment(answer.accepted());
    registry.counter("millrace.balancer.bytes", where).increment(batch.body().length);
  }

  void detour(Batch batch, String node) {
    registry
        .counter("millrace.balancer.detours", "queue", batch.queue(), "queue_node", node)
        .increment();
  }

  void possiblyDuplicated(Batch batch, int events) {
    registry
        .counter("millrace.balancer.events.possibly.duplicated", "queue", batch.queue())
        .increment(events);
  }
}
