package io.millrace.loadbalancer.forward;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.millrace.api.ErrorCode;
import io.millrace.api.event.SendAnswer;
import java.time.Duration;
import java.util.Locale;
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
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Counter forgottenEarly;
  private final LongAdder accepted = new LongAdder();

  public ForwardMeters(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("millrace.balancer.batches.in.flight", inFlight, AtomicInteger::get)
        .description("batches being forwarded to nodes")
        .register(registry);
    this.forgottenEarly =
        counter(
            "millrace.balancer.batches.forgotten.early",
            "batch names forgotten within ten minutes to make room for others",
            Tags.empty());
  }

  /** Events forwarded since the start. */
  public long accepted() {
    return accepted.sum();
  }

  /** A node was skipped because it had failed. */
  public void skipped(String node) {
    counter(
            "millrace.balancer.skipped",
            "choices that skipped a node because it had failed",
            Tags.of("queue_node", node))
        .increment();
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
        .description("round trip of one batch to one node")
        .tags("queue_node", node, "outcome", outcome)
        .serviceLevelObjectives(BUCKETS)
        .register(registry)
        .record(Duration.ofNanos(nanos));
  }

  /** A node acknowledged events. */
  public void stored(Batch batch, String node, SendAnswer answer) {
    accepted.add(answer.accepted());
    Tags where = Tags.of("queue", batch.queue(), "queue_node", node);
    String outcome = answer.repeated() ? "repeated" : "stored";
    counter(
            "millrace.balancer.events",
            "events that nodes acknowledged",
            where.and("outcome", outcome))
        .increment(answer.accepted());
    counter("millrace.balancer.bytes", "bytes of acknowledged batches", where)
        .increment(batch.body().length);
  }

  void detour(Batch batch, String node) {
    counter(
            "millrace.balancer.detours",
            "batches that came to this node after another one had refused or failed",
            Tags.of("queue", batch.queue(), "queue_node", node))
        .increment();
  }

  void possiblyDuplicated(Batch batch, int events) {
    counter(
            "millrace.balancer.events.possibly.duplicated",
            "events stored on a second node after the first one's answer was lost",
            Tags.of("queue", batch.queue()))
        .increment(events);
  }

  /** Events are sent again because their node no longer has their slot. */
  public void staleRetried(String queue, int events) {
    counter(
            "millrace.balancer.session.events.stale",
            "events of sessions sent again because the slot of their key was being moved",
            Tags.of("queue", queue))
        .increment(events);
  }

  /** Events of a queue of sessions were refused singly. */
  public void refused(String queue, ErrorCode code, int events) {
    counter(
            "millrace.balancer.session.events.refused",
            "events of sessions that were refused, each for itself",
            Tags.of("queue", queue, "code", code.name().toLowerCase(Locale.ROOT)))
        .increment(events);
  }

  private Counter counter(String name, String description, Tags tags) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }
}
