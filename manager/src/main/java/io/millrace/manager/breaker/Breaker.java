package io.millrace.manager.breaker;

import io.millrace.api.queue.BreakerDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The breaker of one queue. It opens when enough of the last runs failed, each on an event of its
 * own: one poison event that fails again and again says nothing about the worker. While it is open,
 * one probe at a time is let through; it closes when enough of them succeed in a row. Immutable.
 *
 * @param runs the last runs while it is closed, from the first failure on, the newest last
 * @param openedAt null while it is closed
 * @param reason why it opened, for people; null while it is closed
 * @param probedAt when the last probe was let through, or when it opened; null when the next is due
 *     at once
 * @param probe job of the probe whose end is awaited; null for none
 * @param probes let through since it opened
 * @param succeeded how many of the latest succeeded in a row
 */
public record Breaker(
    List<Run> runs,
    Instant openedAt,
    String reason,
    Instant probedAt,
    Long probe,
    int probes,
    int succeeded) {
  /** Closed, with nothing to remember. */
  public static final Breaker CLOSED = new Breaker(List.of(), null, null, null, null, 0, 0);

  /**
   * A run of the past.
   *
   * @param failed whether it failed
   * @param event what it had alone; null if it had several
   */
  public record Run(boolean failed, String event) {}

  public Breaker {
    runs = List.copyOf(runs);
  }

  public boolean open() {
    return openedAt != null;
  }

  /** Whether further successes would change nothing. */
  public boolean quiet() {
    return !open() && runs.isEmpty();
  }

  /** After a run; what a closed one needs not know is forgotten. */
  public Breaker after(RunEnd end, BreakerDefinition rule, Instant now) {
    if (rule.off()) {
      return CLOSED;
    }
    return open() ? afterProbe(end, rule) : afterRun(end, rule, now);
  }

  private Breaker afterRun(RunEnd end, BreakerDefinition rule, Instant now) {
    List<Run> latest = new ArrayList<>(runs);
    latest.add(new Run(end.failed(), end.event()));
    while (latest.size() > rule.runs()) {
      latest.remove(0);
    }
    while (!latest.isEmpty() && !latest.get(0).failed()) {
      latest.remove(0);
    }
    int failures = distinctFailures(latest);
    if (failures < rule.failures()) {
      return new Breaker(latest, null, null, null, null, 0, 0);
    }
    String why =
        failures + " of the last " + rule.runs() + " runs failed, each on events of its own";
    return new Breaker(List.of(), now, why, now, null, 0, 0);
  }

  private static int distinctFailures(List<Run> latest) {
    Set<String> events = new HashSet<>();
    int unnamed = 0;
    for (Run run : latest) {
      if (run.failed() && run.event() == null) {
        unnamed++;
      } else if (run.failed()) {
        events.add(run.event());
      }
    }
    return unnamed + events.size();
  }

  /** Runs submitted before it opened say nothing about whether it may close. */
  private Breaker afterProbe(RunEnd end, BreakerDefinition rule) {
    if (probe == null || probe != end.job()) {
      return this;
    }
    if (end.failed()) {
      return new Breaker(runs, openedAt, reason, probedAt, null, probes, 0);
    }
    return succeeded + 1 >= rule.probes()
        ? CLOSED
        : new Breaker(runs, openedAt, reason, null, null, probes, succeeded + 1);
  }

  /** How many of the wanted workers may be submitted now. */
  public int allowed(int wanted, BreakerDefinition rule, Instant now) {
    if (!open() || rule.off()) {
      return wanted;
    }
    return now.isBefore(nextProbeAt(rule).orElse(now)) ? 0 : Math.min(1, wanted);
  }

  /** When the next probe is due; empty while it is closed, or when one is due at once. */
  public Optional<Instant> nextProbeAt(BreakerDefinition rule) {
    return Optional.ofNullable(probedAt).map(at -> at.plus(rule.probeEvery()));
  }

  /** After a probe was let through. */
  public Breaker probing(long job, Instant now) {
    return new Breaker(runs, openedAt, reason, now, job, probes + 1, succeeded);
  }

  /** What it is and when it is looked at again, for people. */
  public String words(BreakerDefinition rule, Instant now) {
    String next =
        nextProbeAt(rule)
            .filter(at -> at.isAfter(now))
            .map(at -> "the next probe in " + Duration.between(now, at).toSeconds() + " s")
            .orElse("a probe is due");
    return "the breaker is open since "
        + openedAt
        + ": "
        + reason
        + "; "
        + succeeded
        + " of "
        + rule.probes()
        + " probes succeeded, "
        + next;
  }
}
