package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.TemporalAdjusters;

/**
 * A day that is counted or looked for within its month: Quartz's L, W and #. Decided here, because
 * Quartz does not take all of them in lists.
 */
@Pure
sealed interface SpecialDay {
  boolean matches(LocalDate date);

  /** What is said after "on ". */
  String words();

  /** {@code L} and {@code L-3}. */
  record LastDay(int before) implements SpecialDay {
    @Override
    public boolean matches(LocalDate date) {
      return date.getDayOfMonth() == date.lengthOfMonth() - before;
    }

    @Override
    public String words() {
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
    public String words() {
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
    public String words() {
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
    public String words() {
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
    public String words() {
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
