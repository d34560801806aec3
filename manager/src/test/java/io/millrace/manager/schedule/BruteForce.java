package io.millrace.manager.schedule;

import io.millrace.api.task.ScheduleDefinition.RepeatedTime;
import io.millrace.api.task.ScheduleDefinition.SkippedTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds planned times by looking at every minute (or second) of a span, one after the other, and
 * asking java.time what the clocks of the zone show then. Shares nothing with what it is compared
 * with, its reading of expressions included.
 */
final class BruteForce {
  private static final Map<String, String> NAMES = new TreeMap<>();

  static {
    String[] months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ", -1);
    for (int month = 0; month < months.length; month++) {
      NAMES.put(months[month], Integer.toString(month + 1));
    }
  }

  private final boolean unix;
  private final boolean[] second;
  private final boolean[] minute;
  private final boolean[] hour;
  private final boolean[] month;
  private final boolean[] year;
  private final String dayText;
  private final String weekdayText;
  private final ZoneId zone;
  private final SkippedTime skipped;
  private final RepeatedTime repeated;
  private final long step;

  /** The rules may be null: then they depend on whether the expression names hours. */
  BruteForce(String expression, ZoneId zone, SkippedTime skipped, RepeatedTime repeated) {
    String[] fields = expression.toLowerCase(Locale.ROOT).split(" ", -1);
    this.unix = fields.length == 5;
    int first = unix ? 0 : 1;
    this.second = allowed(unix ? "0" : fields[0], 0, 59);
    this.minute = allowed(fields[first], 0, 59);
    this.hour = allowed(fields[first + 1], 0, 23);
    this.dayText = fields[first + 2];
    this.month = allowed(fields[first + 3], 1, 12);
    this.weekdayText = fields[first + 4];
    this.year = allowed(fields.length == 7 ? fields[6] : "*", 1970, 2199);
    this.zone = zone;
    boolean everyHour = true;
    for (int at = 0; at < 24; at++) {
      everyHour &= hour[at];
    }
    this.skipped =
        skipped != null ? skipped : everyHour ? SkippedTime.NEVER : SkippedTime.AFTER_GAP;
    this.repeated =
        repeated != null ? repeated : everyHour ? RepeatedTime.BOTH : RepeatedTime.FIRST;
    this.step = unix || fields[0].equals("0") ? 60 : 1;
  }

  /** At most so many planned times after one moment and up to another. */
  List<Instant> between(Instant after, Instant end, int max) {
    List<Instant> found = new ArrayList<>();
    long now = Math.floorDiv(after.getEpochSecond(), step) * step + step;
    while (now <= end.getEpochSecond() && found.size() < max) {
      Instant moment = Instant.ofEpochSecond(now);
      if (happens(moment)) {
        found.add(moment);
      }
      now = later(now, LocalDateTime.ofInstant(moment, zone));
    }
    return found;
  }

  /**
   * The next moment to look at; whole days and quarters of an hour that can't match are skipped.
   */
  private long later(long now, LocalDateTime local) {
    if (!day(local.toLocalDate()) || !month[local.getMonthValue()]) {
      return Math.max(
          now + step, local.toLocalDate().plusDays(1).atStartOfDay(zone).toEpochSecond());
    }
    // Clocks have changed on quarters of an hour of UTC only for decades.
    return hour[local.getHour()] ? now + step : (now / 900 + 1) * 900;
  }

  private boolean happens(Instant moment) {
    LocalDateTime local = LocalDateTime.ofInstant(moment, zone);
    LocalDateTime shownBefore = LocalDateTime.ofInstant(moment.minusSeconds(step), zone);
    boolean jumped = Duration.between(shownBefore, local).toSeconds() > step;
    if (jumped && skipped == SkippedTime.AFTER_GAP) {
      for (LocalDateTime gone = shownBefore.plusSeconds(step);
          gone.isBefore(local);
          gone = gone.plusSeconds(step)) {
        if (matches(gone)) {
          return true;
        }
      }
    }
    return matches(local) && counts(moment, local);
  }

  private boolean counts(Instant moment, LocalDateTime local) {
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
    if (offsets.size() < 2 || repeated == RepeatedTime.BOTH) {
      return true;
    }
    ZoneOffset wanted = offsets.get(repeated == RepeatedTime.FIRST ? 0 : 1);
    return zone.getRules().getOffset(moment).equals(wanted);
  }

  private boolean matches(LocalDateTime local) {
    return second[local.getSecond()]
        && minute[local.getMinute()]
        && hour[local.getHour()]
        && month[local.getMonthValue()]
        && year[local.getYear()]
        && day(local.toLocalDate());
  }

  private boolean day(LocalDate date) {
    if (!unix) {
      boolean anyWeekday = weekdayText.equals("?") || weekdayText.equals("*");
      return anyWeekday
          ? quartzDay(date)
          : countedWeekday(date, weekdayText.replaceAll("^l$", "7"), 1);
    }
    boolean day = quartzDay(date);
    boolean weekday = countedWeekday(date, weekdayText.replace("?", "*"), 0);
    boolean eitherWillDo =
        "*?".indexOf(dayText.charAt(0)) < 0 && "*?".indexOf(weekdayText.charAt(0)) < 0;
    return eitherWillDo ? (day || weekday) : (day && weekday);
  }

  private boolean quartzDay(LocalDate date) {
    int last = date.lengthOfMonth();
    for (String part : dayText.replace("?", "*").split(",", -1)) {
      if (part.equals("lw")) {
        LocalDate end = date.withDayOfMonth(last);
        while (end.getDayOfWeek().getValue() > 5) {
          end = end.minusDays(1);
        }
        if (date.equals(end)) {
          return true;
        }
      } else if (part.startsWith("l")) {
        int before = part.length() == 1 ? 0 : Integer.parseInt(part.substring(2));
        if (date.plusDays(before + 1).getDayOfMonth() == 1
            && date.plusDays(before).getMonth() == date.getMonth()) {
          return true;
        }
      } else if (part.endsWith("w")) {
        if (date.equals(nearest(date, Integer.parseInt(part.substring(0, part.length() - 1))))) {
          return true;
        }
      } else if (allowed(part, 1, 31)[date.getDayOfMonth()]) {
        return true;
      }
    }
    return false;
  }

  /** The closest Monday to Friday of the same month; of two equally close ones there are none. */
  private static LocalDate nearest(LocalDate inMonth, int wanted) {
    if (wanted > inMonth.lengthOfMonth()) {
      return null;
    }
    for (int distance = 0; ; distance++) {
      for (int day : new int[] {wanted - distance, wanted + distance}) {
        if (day >= 1 && day <= inMonth.lengthOfMonth()) {
          LocalDate date = inMonth.withDayOfMonth(day);
          if (date.getDayOfWeek().getValue() < 6) {
            return date;
          }
        }
      }
    }
  }

  private static boolean countedWeekday(LocalDate date, String text, int sunday) {
    int day = date.getDayOfWeek().getValue() % 7;
    for (String part : text.split(",", -1)) {
      if (part.contains("#")) {
        int nth = Integer.parseInt(part.substring(part.indexOf('#') + 1));
        int before = 0;
        for (LocalDate same = date; same.getMonth() == date.getMonth(); same = same.minusDays(7)) {
          before++;
        }
        if (weekdays(part.substring(0, part.indexOf('#')), sunday)[day] && before == nth) {
          return true;
        }
      } else if (part.endsWith("l") && part.length() > 1) {
        if (weekdays(part.substring(0, part.length() - 1), sunday)[day]
            && date.plusDays(7).getMonth() != date.getMonth()) {
          return true;
        }
      } else if (weekdays(part, sunday)[day]) {
        return true;
      }
    }
    return false;
  }

  /** Days of the week from 0 for Sunday, which the text may count from 0 or from 1. */
  private static boolean[] weekdays(String text, int sunday) {
    String numbers = text;
    String[] names = "sun mon tue wed thu fri sat".split(" ", -1);
    for (int day = 0; day < names.length; day++) {
      numbers = numbers.replace(names[day], Integer.toString(day + sunday));
    }
    boolean[] allowed = allowed(numbers, sunday, 7);
    boolean[] days = new boolean[7];
    for (int number = sunday; number <= 7; number++) {
      days[(number - sunday) % 7] |= allowed[number];
    }
    return days;
  }

  private static boolean[] allowed(String text, int min, int max) {
    boolean[] allowed = new boolean[max + 1];
    for (String part : text.split(",", -1)) {
      String range = part.contains("/") ? part.substring(0, part.indexOf('/')) : part;
      int step = part.contains("/") ? Integer.parseInt(part.substring(part.indexOf('/') + 1)) : 1;
      int from = min;
      int to = max;
      if (!range.equals("*")) {
        String[] ends = range.split("-", -1);
        from = number(ends[0]);
        to = ends.length == 2 ? number(ends[1]) : part.contains("/") ? max : from;
      }
      // A range over the end goes on at the beginning.
      int size = max - min + 1;
      for (int at = from; at <= (to < from ? to + size : to); at += step) {
        allowed[at > max ? at - size : at] = true;
      }
    }
    return allowed;
  }

  private static int number(String text) {
    return Integer.parseInt(NAMES.getOrDefault(text, text));
  }
}
