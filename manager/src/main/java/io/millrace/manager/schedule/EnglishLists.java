package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.function.IntFunction;

/** Formats numbers, days and durations in English. Stateless. */
@Pure
final class EnglishLists {
  private static final int MIN_RANGE = 3;

  private EnglishLists() {}

  /** 1st, 2nd, 11th. */
  static String ordinal(int number) {
    int tens = number % 100;
    if (tens >= 11 && tens <= 13) {
      return number + "th";
    }
    return number
        + switch (number % 10) {
          case 1 -> "st";
          case 2 -> "nd";
          case 3 -> "rd";
          default -> "th";
        };
  }

  static String weekday(DayOfWeek day) {
    return day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  /** The name of a day counted from 0 for Sunday. */
  static String weekday(int fromSunday) {
    return weekday(fromSunday == 0 ? DayOfWeek.SUNDAY : DayOfWeek.of(fromSunday));
  }

  static String month(int number) {
    return Month.of(number).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
  }

  /** "a", "a and b", "a, b and c". */
  static String and(List<String> parts) {
    int last = parts.size() - 1;
    return last < 1
        ? String.join("", parts)
        : String.join(", ", parts.subList(0, last)) + " and " + parts.get(last);
  }

  /** The values, with three or more consecutive ones as "a to b". */
  static List<String> ranges(SortedSet<Integer> values, IntFunction<String> name) {
    List<String> parts = new ArrayList<>();
    List<Integer> all = List.copyOf(values);
    int at = 0;
    while (at < all.size()) {
      int end = at;
      while (end + 1 < all.size() && all.get(end + 1) == all.get(end) + 1) {
        end++;
      }
      if (end - at + 1 >= MIN_RANGE) {
        parts.add(name.apply(all.get(at)) + " to " + name.apply(all.get(end)));
        at = end + 1;
      } else {
        parts.add(name.apply(all.get(at)));
        at++;
      }
    }
    return parts;
  }

  /** "every 5 minutes", "every hour", "every 1 hour 30 minutes". */
  static String every(Duration span) {
    String text = duration(span);
    return "every " + (text.matches("1 [a-z]+") ? text.substring(2) : text);
  }

  /** "1 hour 30 minutes". */
  static String duration(Duration span) {
    List<String> parts = new ArrayList<>();
    add(parts, span.toDaysPart(), "day");
    add(parts, span.toHoursPart(), "hour");
    add(parts, span.toMinutesPart(), "minute");
    add(parts, span.toSecondsPart(), "second");
    add(parts, span.toMillisPart(), "millisecond");
    return parts.isEmpty() ? "no time" : String.join(" ", parts);
  }

  private static void add(List<String> parts, long number, String unit) {
    if (number > 0) {
      parts.add(number + " " + unit + (number == 1 ? "" : "s"));
    }
  }
}
