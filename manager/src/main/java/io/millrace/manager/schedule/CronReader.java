package io.millrace.manager.schedule;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.manager.schedule.Cron.SpecialDay;
import io.millrace.manager.schedule.CronField.FieldKind;
import java.time.DayOfWeek;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses 5 fields as Unix cron does, 6 or 7 as Quartz does, and names such as @daily. Stateless.
 */
@Pure
final class CronReader {
  private static final Map<String, String> NAMED =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private CronReader() {}

  /**
   * Reads an expression.
   *
   * @throws MillraceException INVALID_DEFINITION that names the error
   */
  static Cron read(String expression) {
    String text = expression.strip();
    if (text.startsWith("@")) {
      return unix(named(text).split(" ", -1));
    }
    if (text.matches("(?i)(CRON_)?TZ=.*")) {
      throw refuse(text, "names a time zone; write it as schedule.zone");
    }
    String[] fields = text.split("\\s+", -1);
    return switch (fields.length) {
      case 5 -> unix(fields);
      case 6, 7 -> QuartzReader.read(fields);
      default ->
          throw refuse(
              text,
              "has "
                  + (text.isEmpty() ? 0 : fields.length)
                  + " fields; write 5 (minute hour day month weekday), or 6 or 7 as Quartz does"
                  + " (second first, year last)");
    };
  }

  private static String named(String text) {
    String fields = NAMED.get(text.toLowerCase(Locale.ROOT));
    if (fields != null) {
      return fields;
    }
    if (text.equalsIgnoreCase("@reboot")) {
      throw refuse(
          text,
          "is not supported: tasks are not tied to a machine; use systemd or the machine's own cron");
    }
    if (text.toLowerCase(Locale.ROOT).startsWith("@every")) {
      throw refuse(text, "is written as schedule.every, such as 'every: 5m'");
    }
    throw refuse(text, "is unknown; write @hourly, @daily, @weekly, @monthly or @yearly");
  }

  private static Cron unix(String[] fields) {
    CronField day = CronField.read(FieldKind.DAY, fields[2]);
    CronField weekday = CronField.read(FieldKind.UNIX_WEEKDAY, fields[4]);
    boolean either = !day.star() && !weekday.star();
    if (either && (day.everything() || weekday.everything())) {
      // To cron 1-31 is a restriction, so that either day field suffices: it matches every day.
      day = CronField.any(FieldKind.DAY);
      weekday = CronField.any(FieldKind.UNIX_WEEKDAY);
    }
    return new Cron(
        CronField.read(FieldKind.SECOND, "0"),
        CronField.read(FieldKind.MINUTE, fields[0]),
        CronField.read(FieldKind.HOUR, fields[1]),
        day,
        CronField.read(FieldKind.MONTH, fields[3]),
        weekday,
        List.of(),
        CronField.any(FieldKind.YEAR),
        either);
  }

  static MillraceException refuse(String text, String rule) {
    return new MillraceException(
        ErrorCode.INVALID_DEFINITION, "schedule.cron: '" + text + "' " + rule);
  }

  /**
   * Parses 6 or 7 fields in the syntax of Quartz, extended: a star may replace the question mark,
   * and L, W and # may be parts of lists. Stateless.
   */
  @Pure
  private static final class QuartzReader {
    private static final Pattern LAST = Pattern.compile("L(?:-([0-9]{1,2}))?(W)?");
    private static final Pattern NEAREST = Pattern.compile("([0-9]{1,2})W");
    private static final Pattern LAST_WEEKDAY = Pattern.compile("([0-9A-Z]+)L");
    private static final Pattern NTH_WEEKDAY = Pattern.compile("([0-9A-Z]+)#([1-5])");
    private static final int LONGEST_MONTH = 31;

    private QuartzReader() {}

    static Cron read(String[] fields) {
      boolean daysFree = free(fields[3]);
      boolean weekdaysFree = free(fields[5]);
      if (!daysFree && !weekdaysFree) {
        throw CronReader.refuse(
            String.join(" ", fields),
            "restricts the day of month and the day of week; write ? for one of them, or 5 fields,"
                + " where either suffices");
      }
      List<SpecialDay> special = new ArrayList<>();
      CronField day = days(daysFree ? "*" : fields[3], special);
      CronField weekday = weekdays(weekdaysFree ? "*" : fields[5], special);
      boolean counted = !special.isEmpty();
      return new Cron(
          CronField.read(FieldKind.SECOND, fields[0]),
          CronField.read(FieldKind.MINUTE, fields[1]),
          CronField.read(FieldKind.HOUR, fields[2]),
          counted && daysFree ? null : day,
          CronField.read(FieldKind.MONTH, fields[4]),
          counted && weekdaysFree ? null : weekday,
          List.copyOf(special),
          CronField.read(FieldKind.YEAR, fields.length == 7 ? fields[6] : "*"),
          false);
    }

    private static boolean free(String field) {
      return field.equals("?") || field.equals("*");
    }

    private static CronField days(String field, List<SpecialDay> special) {
      List<String> plain = new ArrayList<>();
      for (String part : field.toUpperCase(Locale.ROOT).split(",", -1)) {
        Matcher last = LAST.matcher(part);
        Matcher nearest = NEAREST.matcher(part);
        if (last.matches()) {
          int before = last.group(1) == null ? 0 : Integer.parseInt(last.group(1));
          if (before >= LONGEST_MONTH) {
            throw CronReader.refuse(part, "is not a day of any month; write L-0 to L-30");
          }
          special.add(
              last.group(2) == null
                  ? new SpecialDay.LastDay(before)
                  : new SpecialDay.LastWeekday(before));
        } else if (nearest.matches()) {
          CronField.read(FieldKind.DAY, nearest.group(1));
          special.add(new SpecialDay.NearestWeekday(Integer.parseInt(nearest.group(1))));
        } else {
          plain.add(part);
        }
      }
      return plain.isEmpty() ? null : CronField.read(FieldKind.DAY, String.join(",", plain));
    }

    private static CronField weekdays(String field, List<SpecialDay> special) {
      List<String> plain = new ArrayList<>();
      for (String part : field.toUpperCase(Locale.ROOT).split(",", -1)) {
        Matcher last = LAST_WEEKDAY.matcher(part);
        Matcher nth = NTH_WEEKDAY.matcher(part);
        if (last.matches()) {
          special.add(new SpecialDay.LastOfWeekday(weekday(last.group(1))));
        } else if (nth.matches()) {
          special.add(
              new SpecialDay.NthOfWeekday(weekday(nth.group(1)), Integer.parseInt(nth.group(2))));
        } else {
          // Alone, L is the last day of Quartz's week.
          plain.add(part.equals("L") ? "SAT" : part);
        }
      }
      return plain.isEmpty()
          ? null
          : CronField.read(FieldKind.QUARTZ_WEEKDAY, String.join(",", plain));
    }

    private static DayOfWeek weekday(String text) {
      int fromSunday = CronField.read(FieldKind.QUARTZ_WEEKDAY, text).values().first();
      return fromSunday == 0 ? DayOfWeek.SUNDAY : DayOfWeek.of(fromSunday);
    }
  }
}
