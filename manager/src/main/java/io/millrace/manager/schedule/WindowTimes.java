package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * When a daily window is open, in its time zone. If the clocks show a bound twice, the window is as
 * long as possible; if they skip it, the bound is at the end of the gap. Immutable, thread-safe.
 */
@Pure
public final class WindowTimes {
  private final TimeWindow window;
  private final ZoneId zone;

  private WindowTimes(TimeWindow window, ZoneId zone) {
    this.window = window;
    this.zone = zone;
  }

  /** The times of a window; null for one that is always open. */
  public static WindowTimes of(TimeWindow window, ZoneId zone) {
    return new WindowTimes(window, zone);
  }

  /** Whether a run may start now. */
  public boolean isOpen(Instant moment) {
    return window == null || openUntil(moment).isPresent();
  }

  /** When the window that is open at a moment ends; empty if it is closed or never ends. */
  public Optional<Instant> openUntil(Instant moment) {
    return openings(moment)
        .filter(opening -> !moment.isBefore(opening.from()) && moment.isBefore(opening.to()))
        .map(Opening::to)
        .max(Instant::compareTo);
  }

  /** The moment itself if the window is open then, or else its next opening. */
  public Instant openFrom(Instant moment) {
    if (isOpen(moment)) {
      return moment;
    }
    return openings(moment)
        .map(Opening::from)
        .filter(moment::isBefore)
        .min(Instant::compareTo)
        .orElseThrow();
  }

  /** The openings of the days around a moment. */
  private Stream<Opening> openings(Instant moment) {
    if (window == null) {
      return Stream.empty();
    }
    LocalDate today = moment.atZone(zone).toLocalDate();
    return IntStream.rangeClosed(-2, 2).mapToObj(day -> opening(today.plusDays(day)));
  }

  private Opening opening(LocalDate day) {
    LocalDateTime from = day.atTime(window.from());
    LocalDateTime to =
        (window.to().isBefore(window.from()) ? day.plusDays(1) : day).atTime(window.to());
    Instant start = moment(from, true);
    Instant end = moment(to, false);
    return new Opening(start, end.isAfter(start) ? end : start.plus(Duration.between(from, to)));
  }

  private Instant moment(LocalDateTime local, boolean earlier) {
    ZoneOffsetTransition change = zone.getRules().getTransition(local);
    if (change != null && change.isGap()) {
      return change.getInstant();
    }
    return earlier
        ? local.atZone(zone).withEarlierOffsetAtOverlap().toInstant()
        : local.atZone(zone).withLaterOffsetAtOverlap().toInstant();
  }

  private record Opening(Instant from, Instant to) {}
}
