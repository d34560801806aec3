package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The breaker of one queue. It opens when enough of the last runs failed, each on a different
 * event: a poison event that fails repeatedly counts once. While it is open, one probe at a time is
 * started; it closes when enough of them succeed in a row. Immutable.
 *
 * @param runs the last runs while it is closed, from the first failure on, the newest last
 * @param openedAt null while it is closed
 * @param reason why it opened; null while it is closed
 * @param probedAt when the last probe was started, or when it opened; null when the next is due at
 *     once
 * @param probe job of the probe that is running; null for none
 * @param probes started since it opened
 * @param succeeded how many of the latest probes succeeded in a row
 * @param pardons events that were charged with failures before the worker was known to be at fault:
 *     those that became dead letters are to be requeued
 */
@Pure
@RecordBuilder
public record Breaker(
    List<Run> runs,
    Instant openedAt,
    String reason,
    Instant probedAt,
    Long probe,
    int probes,
    int succeeded,
    List<String> pardons)
    implements BreakerBuilder.With {
  /** Closed, without a history. */
  public static final Breaker CLOSED = closed(List.of());

  /**
   * A past run.
   *
   * @param failed whether it failed
   * @param event the only event that it had; null if it had several
   */
  public record Run(boolean failed, String event) {
    /** Whether it failed with a single event, which was charged with the failure. */
    boolean lone() {
      return failed && event != null;
    }
  }

  public Breaker {
    runs = List.copyOf(runs);
    // Records of earlier versions have none.
    pardons = pardons == null ? List.of() : List.copyOf(pardons);
  }

  private static Breaker closed(List<Run> runs) {
    return new Breaker(runs, null, null, null, null, 0, 0, List.of());
  }

  public boolean open() {
    return openedAt != null;
  }

  /** Whether another success would change nothing. */
  public boolean quiet() {
    return !open() && runs.isEmpty();
  }

  /** The breaker after a run. */
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
        "%d of the last %d runs failed, each on different events".formatted(failures, rule.runs());
    List<String> charged = latest.stream().filter(Run::lone).map(Run::event).toList();
    return new Breaker(List.of(), now, why, now, null, 0, 0, charged);
  }

  /** Runs submitted before it opened are not evidence that it may close. */
  private Breaker afterProbe(RunEnd end, BreakerDefinition rule) {
    if (probe == null || probe != end.job()) {
      // It may have been charged before the queue's nodes knew that the breaker was open.
      return end.failed() && end.event() != null ? pardoning(end.event()) : this;
    }
    if (end.failed()) {
      return with(copy -> copy.probe(null).succeeded(0));
    }
    return succeeded + 1 >= rule.probes()
        ? CLOSED
        : with(copy -> copy.probedAt(null).probe(null).succeeded(succeeded + 1));
  }

  private Breaker pardoning(String event) {
    List<String> more = new ArrayList<>(pardons);
    more.remove(event);
    more.add(event);
    return withPardons(more);
  }

  /** The breaker after these events were requeued. */
  public Breaker pardoned(List<String> events) {
    return withPardons(pardons.stream().filter(event -> !events.contains(event)).toList());
  }

  /** How many of the wanted workers may be submitted now. */
  public int allowed(int wanted, BreakerDefinition rule, Instant now) {
    if (!open() || rule.off()) {
      return wanted;
    }
    return now.isBefore(nextProbeAt(rule).orElse(now)) ? 0 : Math.min(1, wanted);
  }

  /** When the next probe is due; empty while it is closed or when one is due now. */
  public Optional<Instant> nextProbeAt(BreakerDefinition rule) {
    return Optional.ofNullable(probedAt).map(at -> at.plus(rule.probeEvery()));
  }

  /** The breaker after a probe was started. */
  public Breaker probing(long job, Instant now) {
    return with(copy -> copy.probedAt(now).probe(job).probes(probes + 1));
  }

  /** Describes the state of an open breaker. */
  public String describe(BreakerDefinition rule, Instant now) {
    String next =
        nextProbeAt(rule)
            .filter(at -> at.isAfter(now))
            .map(
                at ->
                    "the next probe is due in %d s"
                        .formatted(Duration.between(now, at).toSeconds()))
            .orElse("a probe is due");
    return "the breaker has been open since %s: %s; %d of %d probes succeeded, %s"
        .formatted(openedAt, reason, succeeded, rule.probes(), next);
  }

  /**
   * The end of one worker run, as far as it is evidence about the worker.
   *
   * @param job the worker's job
   * @param failed whether the worker failed
   * @param event id of the only event that it had; null if it had several or it is unknown
   */
  @Pure
  public record RunEnd(long job, boolean failed, String event) {}
}
