package io.millrace.manager.sample;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * A span of time and the step in which it is shown.
 *
 * @param from its beginning
 * @param to its end, exclusive
 * @param step time that one sample of the answer sums up
 */
@Pure
public record HistorySpan(Instant from, Instant to, Duration step) {
  /** How long samples of some seconds are kept. */
  static final Duration FINE_KEPT = Duration.ofDays(1);

  /** How long samples of a minute are kept. */
  static final Duration MINUTES_KEPT = Duration.ofDays(30);

  /** The most samples of an answer. */
  public static final int MAX_SAMPLES = 500;

  // A browser that asks for the last day may have a clock that is behind.
  private static final Duration MARGIN = Duration.ofMinutes(5);

  private static final List<Duration> STEPS =
      Stream.of(5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200)
          .map(Duration::ofSeconds)
          .toList();

  /**
   * The span of a request. Its end is now if absent or in the future, its beginning is moved to the
   * time from which something is kept.
   *
   * @param from null for {@code length} before the end
   * @param to null for now
   * @throws MillraceException INVALID_REQUEST if nothing lies between both
   */
  public static HistorySpan of(Instant from, Instant to, Duration length, Instant now) {
    Instant end = to == null || to.isAfter(now) ? now : to;
    Instant begin = from == null ? end.minus(length) : from;
    if (!begin.isBefore(end)) {
      throw refused(
          "from must be before "
              + (to == null || to.isAfter(now) ? "now, which is " + now : "to")
              + ": there is nothing between "
              + begin
              + " and "
              + end);
    }
    Instant kept = now.minus(MINUTES_KEPT);
    if (!end.isAfter(kept)) {
      throw refused("samples are kept for 30 days: to must be after " + kept + ", it is " + end);
    }
    begin = begin.isBefore(kept) ? kept : begin;
    return new HistorySpan(begin, end, step(begin, end, now));
  }

  private static Duration step(Instant from, Instant to, Instant now) {
    boolean fine = !from.isBefore(now.minus(FINE_KEPT).minus(MARGIN));
    // A span touches one step more than it contains.
    long millis = Duration.between(from, to).toMillis() / (MAX_SAMPLES - 1);
    return STEPS.stream()
        .filter(step -> fine || step.compareTo(RollUp.MINUTE) >= 0)
        .filter(step -> step.toMillis() > millis)
        .findFirst()
        .orElseThrow();
  }

  /** Whether minutes are too coarse for it. */
  boolean fine() {
    return step.compareTo(RollUp.MINUTE) < 0;
  }

  private static MillraceException refused(String words) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, words);
  }
}
