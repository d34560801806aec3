package io.millrace.manager.schedule;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition.SkippedTime;
import io.millrace.api.task.SchedulePreview;
import io.millrace.manager.schedule.Cron.LocalTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
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
   * @throws MillraceException INVALID_DEFINITION if the cron expression is invalid or never matches
   */
  public static PlannedTimes of(ScheduleDefinition definition, Instant firstApplied) {
    String text = ScheduleFormatter.of(definition, null);
    if (definition.perpetual() != null) {
      return new PlannedTimes(after -> Optional.empty(), text);
    }
    ZoneId zone = ZoneId.of(definition.zone());
    if (definition.every() != null) {
      Instant anchor = firstApplied.atZone(zone).toLocalDate().atStartOfDay(zone).toInstant();
      return new PlannedTimes(after -> Optional.of(every(definition.every(), anchor, after)), text);
    }
    ZonedTimes zoned = zoned(definition, zone);
    if (zoned.next(Instant.EPOCH).isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "schedule.cron: '" + definition.cron() + "' never matches; write a date that exists");
    }
    return new PlannedTimes(zoned::next, text);
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

  /**
   * Problems of a definition beyond the record's own rules; each begins with the field. Refuses
   * more than {@link #of}, so that definitions that were accepted once are still carried out.
   *
   * @param now of which all planned times must not be over
   */
  public static List<String> problems(ScheduleDefinition definition, Instant now) {
    try {
      PlannedTimes planned = of(definition, Instant.EPOCH);
      if (definition.cron() == null) {
        return List.of();
      }
      List<String> doubts = new ArrayList<>(CronReader.doubts(definition.cron()));
      if (planned.next(now).isEmpty()) {
        doubts.add(
            "schedule.cron: all times of '%s' are over; write a year that is not past"
                .formatted(definition.cron()));
      }
      return doubts;
    } catch (MillraceException e) {
      return List.of(e.getMessage());
    }
  }

  /**
   * The first planned time strictly after a moment; empty for perpetual schedules and if there is
   * none.
   */
  public Optional<Instant> next(Instant after) {
    return times.apply(after);
  }

  /** The first planned times strictly after a moment, fewer if there are fewer. */
  public List<Instant> next(Instant after, int count) {
    return Stream.iterate(next(after), Optional::isPresent, last -> last.flatMap(this::next))
        .limit(count)
        .map(Optional::orElseThrow)
        .toList();
  }

  /** A description of the schedule, such as "at 02:00 on weekdays, Amsterdam time". */
  public String description() {
    return description;
  }

  /** The schedule's description and its next five times. */
  public SchedulePreview preview(Instant now) {
    return new SchedulePreview(description, next(now, PREVIEWED));
  }

  /**
   * Converts wall clock times of a zone to moments. Walks from one change of the zone's offset to
   * the next; between two changes the offset is constant. Immutable, thread-safe.
   */
  @Pure
  private static final class ZonedTimes {
    /** More than any offset and any change of an offset, so that no change is skipped. */
    private static final int MARGIN_DAYS = 3;

    private final LocalTimes times;
    private final ZoneRules rules;
    private final SkippedTime skipped;
    private final RepeatedTime repeated;

    ZonedTimes(LocalTimes times, ZoneRules rules, SkippedTime skipped, RepeatedTime repeated) {
      this.times = times;
      this.rules = rules;
      this.skipped = skipped;
      this.repeated = repeated;
    }

    /** The first moment strictly after another; empty when there is none in the next 100 years. */
    Optional<Instant> next(Instant after) {
      Instant moment = after;
      while (true) {
        ZoneOffset offset = rules.getOffset(moment);
        ZoneOffsetTransition before = rules.previousTransition(moment.plusNanos(1));
        ZoneOffsetTransition behind = rules.nextTransition(moment);
        LocalDateTime from = from(LocalDateTime.ofInstant(moment, offset), before);
        Optional<LocalDateTime> found = times.next(from);
        if (found.isPresent() && isBefore(found.get(), behind)) {
          return Optional.of(found.get().toInstant(offset));
        }
        if (behind == null || (found.isEmpty() && behind.isGap())) {
          return Optional.empty();
        }
        if (behind.isGap() && skipped == SkippedTime.AFTER_GAP && fallsInto(behind)) {
          return Optional.of(behind.getInstant());
        }
        // A time planned for the moment of the change belongs to the new offset.
        Instant resumed = behind.getInstant();
        if (falls(resumed, behind)) {
          return Optional.of(resumed);
        }
        // After a gap nothing comes before the time found; an overlap repeats earlier times.
        moment = behind.isGap() ? later(resumed, found) : resumed;
      }
    }

    private boolean falls(Instant change, ZoneOffsetTransition behind) {
      LocalDateTime local = behind.getDateTimeAfter();
      if (behind.isOverlap() && repeated == RepeatedTime.FIRST) {
        return false;
      }
      return times.next(local.minusNanos(1)).filter(local::equals).isPresent()
          && isBefore(local, rules.nextTransition(change));
    }

    /** Where to search from: after repeated times that do not count. */
    private LocalDateTime from(LocalDateTime local, ZoneOffsetTransition before) {
      if (before == null || before.isGap() || repeated != RepeatedTime.FIRST) {
        return local;
      }
      LocalDateTime lastRepeated = before.getDateTimeBefore().minusNanos(1);
      return lastRepeated.isAfter(local) ? lastRepeated : local;
    }

    private boolean isBefore(LocalDateTime local, ZoneOffsetTransition behind) {
      if (behind == null) {
        return true;
      }
      boolean secondOnly = behind.isOverlap() && repeated == RepeatedTime.SECOND;
      return local.isBefore(secondOnly ? behind.getDateTimeAfter() : behind.getDateTimeBefore());
    }

    private boolean fallsInto(ZoneOffsetTransition gap) {
      return times
          .next(gap.getDateTimeBefore().minusNanos(1))
          .filter(local -> local.isBefore(gap.getDateTimeAfter()))
          .isPresent();
    }

    /** The change, or a moment well before a distant time. */
    private static Instant later(Instant change, Optional<LocalDateTime> found) {
      return found
          .map(local -> local.minusDays(MARGIN_DAYS).toInstant(ZoneOffset.UTC))
          .filter(change::isBefore)
          .orElse(change);
    }
  }
}
