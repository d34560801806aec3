package io.millrace.manager.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.manager.dispatch.Dispatcher.RoundWatch;
import io.millrace.manager.dispatch.PoolDispatch.Round;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Counts the dispatch rounds of this central manager since its start. Thread-safe. */
public final class DispatchMeters implements RoundWatch {
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  private final Timer rounds;
  private final Counter failed;
  private final Counter shapes;
  private final Counter placed;

  public DispatchMeters(MeterRegistry registry) {
    this.rounds =
        Timer.builder("millrace.dispatch.round")
            .description("time of a round over the waiting jobs of one pool")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    this.failed =
        Counter.builder("millrace.dispatch.failed")
            .description("rounds that failed, for instance because the database did")
            .register(registry);
    this.shapes =
        Counter.builder("millrace.dispatch.shapes")
            .description("groups of jobs with equal requirements that rounds considered")
            .register(registry);
    this.placed =
        Counter.builder("millrace.dispatch.placed")
            .description("jobs that rounds placed on nodes")
            .register(registry);
  }

  @Override
  public void ended(Optional<Round> round, long nanos) {
    rounds.record(nanos, TimeUnit.NANOSECONDS);
    if (round.isEmpty()) {
      failed.increment();
      return;
    }
    shapes.increment(round.get().shapes());
    placed.increment(round.get().placed());
  }
}
