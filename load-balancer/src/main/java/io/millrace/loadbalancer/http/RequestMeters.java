package io.millrace.loadbalancer.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.SendAnswer;
import java.time.Duration;
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

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30)
  };

  private final MeterRegistry registry;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Timer times;
  private final LongAdder refused = new LongAdder();

  public RequestMeters(MeterRegistry registry) {
    this.registry = registry;
    Gauge.builder("millrace.balancer.requests.in.flight", inFlight, AtomicInteger::get)
        .description("requests of producers being served")
        .register(registry);
    this.times =
        Timer.builder("millrace.balancer.request")
            .description("time to answer a producer's request, refusals included")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
  }

  /** Requests refused since the start. */
  public long refused() {
    return refused.sum();
  }

  SendAnswer measured(String queue, Supplier<SendAnswer> request) {
    inFlight.incrementAndGet();
    Timer.Sample time = Timer.start(registry);
    try {
      SendAnswer answer = request.get();
      count(queue, answer.refused().isEmpty() ? "stored" : "partly");
      return answer;
    } catch (MillraceException e) {
      refused.increment();
      boolean known = e.code() != ErrorCode.UNKNOWN_QUEUE;
      count(known ? queue : NO_QUEUE, e.code().name().toLowerCase(Locale.ROOT));
      throw e;
    } finally {
      time.stop(times);
      inFlight.decrementAndGet();
    }
  }

  private void count(String queue, String outcome) {
    Counter.builder("millrace.balancer.requests")
        .description("requests of producers, by outcome")
        .tags("queue", queue, "outcome", outcome)
        .register(registry)
        .increment();
  }
}
