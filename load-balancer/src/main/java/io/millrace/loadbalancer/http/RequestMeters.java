package io.millrace.loadbalancer.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Counts requests by queue and outcome (docs/metrics.md). Thread-safe. */
public final class RequestMeters {
  /**
   * Label for names of queues that do not exist: labels must not grow with names chosen by callers.
   */
  private static final String NO_QUEUE = "none";

  private final MeterRegistry registry;
  private final AtomicInteger inFlight;
  private final LongAdder refused = new LongAdder();

  public RequestMeters(MeterRegistry registry) {
    this.registry = registry;
    this.inFlight = registry.gauge("millrace.balancer.requests.in.flight", new AtomicInteger());
  }

  /** Requests refused since the start. */
  public long refused() {
    return refused.sum();
  }

  SendAnswer measured(String queue, Supplier<SendAnswer> request) {
    inFlight.incrementAndGet();
    try {
      SendAnswer answer = request.get();
      count(queue, "stored");
      return answer;
    } catch (MillraceException e) {
      refused.increment();
      boolean known = e.code() != ErrorCode.UNKNOWN_QUEUE;
      count(known ? queue : NO_QUEUE, e.code().name().toLowerCase(Locale.ROOT));
      throw e;
    } finally {
      inFlight.decrementAndGet();
    }
  }

  private void count(String queue, String outcome) {
    registry.counter("millrace.balancer.requests", "queue", queue, "outcome", outcome).increment();
  }
}
