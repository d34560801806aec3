package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.text.ParseException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TimeZone;
import java.util.function.Predicate;
import org.quartz.CronExpression;

/**
 * A parsed cron expression.
 *
 * @param second of the minute
 * @param minute of the hour
 * @param hour of the day
 * @param day of the month; null if only special days count
 * @param month of the year
 * @param weekday day of the week; null if only special days count
 * @param special special days, any of which matches
 * @param year of the calendar
 * @param either whether day of month or day of week suffices; otherwise both must match
 */
@Pure
record Cron(
    CronField second,
    CronField minute,
    CronField hour,
    CronField day,
    CronField month,
    CronField weekday,
    List<SpecialDay> special,
    CronField year,
    boolean either) {

  /** Whether it applies to every hour. */
  boolean everyHour() {
    return hour.everything();
  }

  /** Its times on a wall clock. */
  LocalTimes times() {
    if (!special.isEmpty()) {
      Predicate<LocalDate> plain =
          date ->
              (day != null && day.values().contains(date.getDayOfMonth()))
                  || (weekday != null && weekday.values().contains(number(date.getDayOfWeek())));
      Predicate<LocalDate> any =
          date -> special.stream().anyMatch(one -> one.matches(date)) || plain.test(date);
      return quartz("*", "?").on(any);
    }
    boolean byWeekday = !weekday.everything();
    boolean byDay = !day.everything();
    if (!byWeekday) {
      return quartz(day.quartz(), "?");
    }
    if (!byDay) {
      return quartz("?", weekday.quartz());
    }
    if (either) {
      return LocalTimes.anyOf(List.of(quartz(day.quartz(), "?"), quartz("?", weekday.quartz())));
    }
    return quartz(day.quartz(), "?")
        .on(date -> weekday.values().contains(number(date.getDayOfWeek())));
  }

  private LocalTimes quartz(String days, String weekdays) {
    return new QuartzTimes(
        String.join(
            " ",
            second.quartz(),
            minute.quartz(),
            hour.quartz(),
            days,
            month.quartz(),
            weekdays,
            year.quartz()));
  }

  private static int number(DayOfWeek weekday) {
    return weekday.getValue() % 7;
  }

  /**
   * A day relative to its month: Quartz's L, W and #. Evaluated here, because Quartz does not
   * accept all of them in lists.
   */
  @Pure
  sealed interface SpecialDay {
    boolean matches(LocalDate date);

    /** The text after "on ". */
    String description();

    /** {@code L} and {@code L-3}. */
    record LastDay(int before) implements SpecialDay {
      @Override
      public boolean matches(LocalDate date) {
        return date.getDayOfMonth() == date.lengthOfMonth() - before;
      }

      @Override
      public String description() {
        return before == 0
            ? "the last day of the month"
            : "the day " + before + " before the last of the month";
      }
    }

    /** {@code LW} and {@code L-3W}: the weekday nearest to that day, in the same month. */
    record LastWeekday(int before) implements SpecialDay {
      @Override
      public boolean matches(LocalDate date) {
        return nearestWeekday(date, date.lengthOfMonth() - before);
      }

      @Override
      public String description() {
        return before == 0
            ? "the last weekday of the month"
            : "the weekday nearest to the day " + before + " before the last of the month";
      }
    }

    /** {@code 15W}: the weekday nearest to that day, in the same month. */
    record NearestWeekday(int day) implements SpecialDay {
      @Override
      public boolean matches(LocalDate date) {
        return nearestWeekday(date, day);
      }

      @Override
      public String description() {
        return "the weekday nearest to the " + EnglishLists.ordinal(day) + " of the month";
      }
    }

    /** {@code 6L}: the last Friday. */
    record LastOfWeekday(DayOfWeek weekday) implements SpecialDay {
      @Override
      public boolean matches(LocalDate date) {
        return date.equals(date.with(TemporalAdjusters.lastInMonth(weekday)));
      }

      @Override
      public String description() {
        return "the last " + EnglishLists.weekday(weekday) + " of the month";
      }
    }

    /** {@code 6#3}: the third Friday. */
    record NthOfWeekday(DayOfWeek weekday, int number) implements SpecialDay {
      @Override
      public boolean matches(LocalDate date) {
        return date.getDayOfWeek() == weekday && (date.getDayOfMonth() - 1) / 7 + 1 == number;
      }

      @Override
      public String description() {
        return "the "
            + EnglishLists.ordinal(number)
            + " "
            + EnglishLists.weekday(weekday)
            + " of the month";
      }
    }

    private static boolean nearestWeekday(LocalDate date, int day) {
      if (day < 1 || day > date.lengthOfMonth()) {
        return false;
      }
      LocalDate wanted = date.withDayOfMonth(day);
      int shift =
          switch (wanted.getDayOfWeek()) {
            case SATURDAY -> day == 1 ? 2 : -1;
            case SUNDAY -> day == date.lengthOfMonth() ? -2 : 1;
            default -> 0;
          };
      return date.equals(wanted.plusDays(shift));
    }
  }

  /**
   * Quartz's calendar arithmetic on wall clock times. Quartz sees them as UTC, which has no summer
   * time: with a real zone it loses and repeats times at the changes.
   */
  @Pure
  private static final class QuartzTimes implements LocalTimes {
    private final CronExpression expression;

    /** An expression of 7 fields, built from checked values. */
    QuartzTimes(String expression) {
      try {
        this.expression = new CronExpression(expression);
      } catch (ParseException e) {
        throw new IllegalStateException("Quartz does not read '" + expression + "'", e);
      }
      this.expression.setTimeZone(TimeZone.getTimeZone(ZoneOffset.UTC));
    }

    @Override
    public Optional<LocalDateTime> next(LocalDateTime after) {
      return Optional.ofNullable(
              expression.getNextValidTimeAfter(Date.from(after.toInstant(ZoneOffset.UTC))))
          .map(date -> LocalDateTime.ofInstant(date.toInstant(), ZoneOffset.UTC));
    }
  }

  /** Times on a wall clock that never jumps. Implementations are immutable and thread-safe. */
  @Pure
  @FunctionalInterface
  interface LocalTimes {
    /** The first time strictly after another; empty when there is none in the next 100 years. */
    Optional<LocalDateTime> next(LocalDateTime after);

    /** The union of these times. */
    static LocalTimes anyOf(List<LocalTimes> all) {
      return after ->
          all.stream()
              .map(one -> one.next(after).orElse(null))
              .filter(Objects::nonNull)
              .min(LocalDateTime::compareTo);
    }

    /** The times that fall on certain days. */
    default LocalTimes on(Predicate<LocalDate> days) {
      return after -> {
        Optional<LocalDateTime> candidate = next(after);
        while (candidate.isPresent() && !days.test(candidate.get().toLocalDate())) {
          candidate = next(candidate.get().toLocalDate().plusDays(1).atStartOfDay().minusNanos(1));
        }
        return candidate;
      };
    }
  }
}
