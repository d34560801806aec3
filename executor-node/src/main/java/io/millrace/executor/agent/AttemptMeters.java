package io.millrace.executor.agent;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.api.job.Outcome;
import io.millrace.executor.run.AttemptRun;
import io.millrace.executor.run.CompletedRun;
import io.millrace.executor.run.Runners.AcceptedRun;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Counts the attempts of this execution node since its start (docs/metrics.md). Thread-safe; reads
 * at most the sizes of an attempt's outputs.
 */
public final class AttemptMeters {
  private static final Duration[] LAUNCH_BUCKETS = {
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

  private static final Duration[] RUN_BUCKETS = {
    Duration.ofMillis(100),
    Duration.ofSeconds(1),
    Duration.ofSeconds(10),
    Duration.ofMinutes(1),
    Duration.ofMinutes(10),
    Duration.ofHours(1),
    Duration.ofHours(6),
    Duration.ofDays(1)
  };

  private final MeterRegistry registry;
  private final Counter started;
  private final Counter adopted;
  private final Timer launch;
  private final Timer run;

  /**
   * All meters, so that a series begins at zero and not with its first increment.
   *
   * @param slots referenced weakly by the meters, as is held
   */
  public AttemptMeters(MeterRegistry registry, SlotBook slots, HeldAttempts held) {
    this.registry = registry;
    Gauge.builder("millrace.slots", slots, SlotBook::capacity)
        .description("slots of the node")
        .register(registry);
    Gauge.builder("millrace.slots.used", slots, SlotBook::used)
        .description("slots taken by attempts that have not ended")
        .register(registry);
    Gauge.builder("millrace.attempts.held", held, one -> one.ids().size())
        .description("attempts accepted of which no central manager has recorded the end")
        .register(registry);
    Gauge.builder("millrace.attempts.running", held, HeldAttempts::running)
        .description("attempts accepted that have not ended")
        .register(registry);
    this.started =
        Counter.builder("millrace.executor.started")
            .description("attempts that started on this node")
            .register(registry);
    this.adopted =
        Counter.builder("millrace.executor.adopted")
            .description("attempts taken over from an earlier process of this node")
            .register(registry);
    this.launch =
        Timer.builder("millrace.executor.launch")
            .description("time from accepting an attempt to its start, with taking its events")
            .serviceLevelObjectives(LAUNCH_BUCKETS)
            .register(registry);
    this.run =
        Timer.builder("millrace.executor.run")
            .description("time from the start of an attempt to its end")
            .serviceLevelObjectives(RUN_BUCKETS)
            .register(registry);
    for (Outcome outcome : Outcome.values()) {
      ended(outcome);
    }
    for (Refusal reason : Refusal.values()) {
      refusal(reason);
    }
    for (LogStream stream : LogStream.values()) {
      logBytes(stream);
    }
  }

  /** Why an attempt was not run. */
  enum Refusal {
    /** No slot was free; it is offered again. */
    SLOTS,
    /** The node runs no jobs as its user. */
    USER,
    /** A central manager had replaced it. */
    STALE
  }

  void accepted(AcceptedRun accepted) {
    AttemptRun attempt = accepted.run();
    Instant acceptedAt = accepted.record().acceptedAt();
    var unused =
        attempt
            .started()
            .thenAccept(
                at -> {
                  started.increment();
                  launch.record(between(acceptedAt, at));
                });
  }

  void adopted() {
    adopted.increment();
  }

  void refused(Refusal reason) {
    refusal(reason).increment();
  }

  /** An attempt ended; its outputs are complete. */
  void ended(CompletedRun result, AttemptDirectory directory) {
    Outcome outcome = result.result().outcome();
    ended(outcome).increment();
    if (outcome == Outcome.START_FAILED && result.result().ranNothing()) {
      refused(Refusal.USER);
    }
    if (result.result().runMillis() > 0) {
      run.record(Duration.ofMillis(result.result().runMillis()));
    }
    for (LogStream stream : LogStream.values()) {
      logBytes(stream).increment((double) size(directory.output(stream)));
    }
  }

  private static long size(Path output) {
    try {
      return Files.size(output);
    } catch (IOException absent) {
      // An attempt that was not started has no outputs.
      return 0;
    }
  }

  private static Duration between(Instant from, Instant to) {
    Duration time = Duration.between(from, to);
    return time.isNegative() ? Duration.ZERO : time;
  }

  private Counter ended(Outcome outcome) {
    return Counter.builder("millrace.executor.ended")
        .description("attempts that ended on this node, by how they ended")
        .tags("outcome", label(outcome))
        .register(registry);
  }

  private Counter refusal(Refusal reason) {
    return Counter.builder("millrace.executor.refused")
        .description("attempts that were not run: without slots, by their user, or replaced")
        .tags("reason", label(reason))
        .register(registry);
  }

  private Counter logBytes(LogStream stream) {
    return Counter.builder("millrace.executor.log.bytes")
        .description("output of ended attempts, as far as it is kept")
        .tags("stream", label(stream))
        .register(registry);
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
