package io.millrace.manager.schedule;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.task.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.SkippedTime;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The planned times of a schedule, without jitter and without a window. Immutable, thread-safe. */
@Pure
public final class PlannedTimes {
  private static final int PREVIEWED = 5;

  private final Function<Instant, Optional<Instant>> times;
  private final String description;

  private PlannedTimes(Function<Instant, Optional<Instant>> times, String description) {
    this.times = times;
    this.description = description;
  }

  /**
   * The planned times of a definition.
   *
   * @param firstApplied an {@code every} schedule counts from midnight of this day
   * @throws MillraceException INVALID_DEFINITION if the cron expression is wrong or its time never
   *     comes
   */
  public static PlannedTimes of(ScheduleDefinition definition, Instant firstApplied) {
    String words = ScheduleFormatter.of(definition, null);
    if (definition.perpetual() != null) {
      return new PlannedTimes(after -> Optional.empty(), words);
    }
    ZoneId zone = ZoneId.of(definition.zone());
    if (definition.every() != null) {
      Instant anchor = firstApplied.atZone(zone).toLocalDate().atStartOfDay(zone).toInstant();
      return new PlannedTimes(
          after -> Optional.of(every(definition.every(), anchor, after)), words);
    }
    ZonedTimes zoned = zoned(definition, zone);
    if (zoned.next(Instant.EPOCH).isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "schedule.cron: '" + definition.cron() + "' never comes; write a date that exists");
    }
    return new PlannedTimes(zoned::next, words);
  }

  private static ZonedTimes zoned(ScheduleDefinition definition, ZoneId zone) {
    Cron cron = CronReader.read(definition.cron());
    SkippedTime skipped = cron.everyHour() ? SkippedTime.NEVER : SkippedTime.AFTER_GAP;
    RepeatedTime repeated = cron.everyHour() ? RepeatedTime.BOTH : RepeatedTime.FIRST;
    return new ZonedTimes(
        cron.times(),
        zone.getRules(),
        Objects.requireNonNullElse(definition.skipped(), skipped),
        Objects.requireNonNullElse(definition.repeated(), repeated));
  }

  private static Instant every(Duration interval, Instant anchor, Instant after) {
    if (after.isBefore(anchor)) {
      return anchor;
    }
    long passed = Duration.between(anchor, after).dividedBy(interval);
    return anchor.plus(interval.multipliedBy(passed + 1));
  }

  /** What is wrong with a definition beyond the record's own rules; each begins with the field. */
  public static List<String> problems(ScheduleDefinition definition) {
    try {
      of(definition, Instant.EPOCH);
      return List.of();
    } catch (MillraceException e) {
      return List.of(e.getMessage());
    }
  }

  /** The first planned time strictly after a moment; empty for perpetual and for never again. */
  public Optional<Instant> next(Instant after) {
    return times.apply(after);
  }

  /** The first planned times strictly after a moment, fewer when there are no more. */
  public List<Instant> next(Instant after, int count) {
    return Stream.iterate(next(after), Optional::isPresent, last -> last.flatMap(this::next))
        .limit(count)
        .map(Optional::orElseThrow)
        .toList();
  }

  /** The schedule in words, such as "at 02:00 on weekdays, Amsterdam time". */
  public String description() {
    return description;
  }

  /** The schedule in words and its next five times. */
  public SchedulePreview preview(Instant now) {
    return new SchedulePreview(description, next(now, PREVIEWED));
  }
}
