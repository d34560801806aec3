package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The breaker of one queue. It opens when enough of the last runs failed, each on an event of its
 * own: one poison event that fails again and again counts once. While it is open, one probe at a
 * time is let through; it closes when enough of them succeed in a row. Immutable.
 *
 * @param runs the last runs while it is closed, from the first failure on, the newest last
 * @param openedAt null while it is closed
 * @param reason why it opened, for people; null while it is closed
 * @param probedAt when the last probe was let through, or when it opened; null when the next is due
 *     at once
 * @param probe job of the probe whose end is awaited; null for none
 * @param probes let through since it opened
 * @param succeeded how many of the latest succeeded in a row
 * @param pardons events whose failures were charged before it was known that the worker is to
 *     blame: those that died of them are to be given back
 */
@Pure
public record Breaker(
    List<Run> runs,
    Instant openedAt,
    String reason,
    Instant probedAt,
    Long probe,
    int probes,
    int succeeded,
    List<String> pardons) {
  /** Closed, with nothing to remember. */
  public static final Breaker CLOSED = closed(List.of());

  /**
   * A run of the past.
   *
   * @param failed whether it failed
   * @param event what it had alone; null if it had several
   */
  public record Run(boolean failed, String event) {
    /** Whether it failed with one event alone, which was charged for it. */
    boolean lone() {
      return failed && event != null;
    }
  }

  public Breaker {
    runs = List.copyOf(runs);
    // A record of an earlier version has none.
    pardons = pardons == null ? List.of() : List.copyOf(pardons);
  }

  private static Breaker closed(List<Run> runs) {
    return new Breaker(runs, null, null, null, null, 0, 0, List.of());
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
    Run newest = new Run(end.failed(), end.event());
    if (newest.lone()) {
      // Where one worker runs at a time an event fails until it is dead before the next has its
      // turn; counted each time, such failures would crowd out those of other events.
      latest.remove(newest);
    }
    latest.add(newest);
    while (latest.size() > rule.runs()) {
      latest.remove(0);
    }
    while (!latest.isEmpty() && !latest.get(0).failed()) {
      latest.remove(0);
    }
    long failures = latest.stream().filter(Run::failed).count();
    if (failures < rule.failures()) {
      return closed(latest);
    }
    String why =
        failures + " of the last " + rule.runs() + " runs failed, each on events of its own";
    List<String> charged = latest.stream().filter(Run::lone).map(Run::event).toList();
    return new Breaker(List.of(), now, why, now, null, 0, 0, charged);
  }

  /** Runs submitted before it opened say nothing about whether it may close. */
  private Breaker afterProbe(RunEnd end, BreakerDefinition rule) {
    if (probe == null || probe != end.job()) {
      // It may have been charged before the queue's nodes heard that the breaker is open.
      return end.failed() && end.event() != null ? pardoning(end.event()) : this;
    }
    if (end.failed()) {
      return new Breaker(runs, openedAt, reason, probedAt, null, probes, 0, pardons);
    }
    return succeeded + 1 >= rule.probes()
        ? CLOSED
        : new Breaker(runs, openedAt, reason, null, null, probes, succeeded + 1, pardons);
  }

  private Breaker pardoning(String event) {
    List<String> more = new ArrayList<>(pardons);
    more.remove(event);
    more.add(event);
    return withPardons(more);
  }

  /** After these events were given back, as far as they had died. */
  public Breaker pardoned(List<String> events) {
    return withPardons(pardons.stream().filter(event -> !events.contains(event)).toList());
  }

  private Breaker withPardons(List<String> events) {
    return new Breaker(runs, openedAt, reason, probedAt, probe, probes, succeeded, events);
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
    return new Breaker(runs, openedAt, reason, now, job, probes + 1, succeeded, pardons);
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

  /**
   * The end of one worker run, as far as it says something about the worker.
   *
   * @param job the worker's job
   * @param failed whether it failed by itself
   * @param event id of the one event that it had alone; null if it had several, or nobody knows
   */
  @Pure
  record RunEnd(long job, boolean failed, String event) {}
}
