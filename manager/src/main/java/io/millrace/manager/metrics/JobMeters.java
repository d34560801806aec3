package io.millrace.manager.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.EndedAttempt;
import io.millrace.manager.job.JobFacts;
import io.millrace.manager.job.JobWatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * Counts what becomes of jobs, in this central manager since its start. Everything is counted after
 * the commit, because a transaction may be repeated. Thread-safe.
 */
public final class JobMeters implements JobWatcher {
  /** Bounds for times of jobs, from a tenth of a second to a day. */
  static final Duration[] BUCKETS = {
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2_500),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(5),
    Duration.ofMinutes(15),
    Duration.ofHours(1),
    Duration.ofHours(6),
    Duration.ofDays(1)
  };

  private final MeterRegistry registry;

  /** All meters, so that a series begins at zero and not with its first increment. */
  public JobMeters(MeterRegistry registry) {
    this.registry = registry;
    for (JobKind kind : JobKind.values()) {
      submitted(kind);
      started(kind);
      retried(kind);
      waited(kind);
      ran(kind);
      for (Outcome outcome : Outcome.values()) {
        attemptEnded(kind, outcome);
      }
      for (JobState state : JobState.values()) {
        if (state.ended()) {
          ended(kind, state);
        }
      }
    }
  }

  @Override
  public void jobsSubmitted(Handle handle, JobKind kind, int jobs) {
    handle.afterCommit(() -> submitted(kind).increment(jobs));
  }

  @Override
  public void attemptsStarted(Handle handle, List<StartedAttempt> starts) {
    each(handle, starts, this::count);
  }

  private void count(StartedAttempt start) {
    JobFacts job = start.job();
    started(job.kind()).increment();
    if (job.attempt() == 1) {
      waited(job.kind()).record(between(job.submittedAt(), start.startedAt()));
    }
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    each(handle, ends, this::count);
  }

  private void count(EndedAttempt end) {
    JobKind kind = end.job().kind();
    attemptEnded(kind, end.result().outcome()).increment();
    if (end.startedAt() != null) {
      ran(kind).record(between(end.startedAt(), end.endedAt()));
    }
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    each(handle, ends, end -> ended(end.job().kind(), end.state()).increment());
  }

  @Override
  public void jobsRetried(Handle handle, List<JobFacts> jobs, Instant now) {
    each(handle, jobs, job -> retried(job.kind()).increment());
  }

  private static <T> void each(Handle handle, List<T> all, Consumer<T> count) {
    List<T> copy = List.copyOf(all);
    handle.afterCommit(() -> copy.forEach(count));
  }

  private static Duration between(Instant from, Instant to) {
    Duration time = Duration.between(from, to);
    return time.isNegative() ? Duration.ZERO : time;
  }

  private Counter submitted(JobKind kind) {
    return counter("millrace.jobs.submitted", "jobs recorded", kind);
  }

  private Counter started(JobKind kind) {
    return counter("millrace.attempts.started", "attempts that started", kind);
  }

  private Counter retried(JobKind kind) {
    return counter("millrace.jobs.retried", "failed or cancelled jobs that were retried", kind);
  }

  private Counter counter(String name, String description, JobKind kind) {
    return Counter.builder(name)
        .description(description)
        .tags("kind", label(kind))
        .register(registry);
  }

  private Counter attemptEnded(JobKind kind, Outcome outcome) {
    return Counter.builder("millrace.attempts.ended")
        .description("attempts that ended, by how they ended")
        .tags("kind", label(kind), "outcome", label(outcome))
        .register(registry);
  }

  private Counter ended(JobKind kind, JobState state) {
    return Counter.builder("millrace.jobs.ended")
        .description("jobs that ended finally")
        .tags("kind", label(kind), "state", label(state))
        .register(registry);
  }

  private Timer waited(JobKind kind) {
    return timer(
        "millrace.job.wait", "time from submission to the start of the first attempt", kind);
  }

  private Timer ran(JobKind kind) {
    return timer("millrace.job.run", "time from the start of an attempt to its end", kind);
  }

  private Timer timer(String name, String description, JobKind kind) {
    return Timer.builder(name)
        .description(description)
        .tags("kind", label(kind))
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
