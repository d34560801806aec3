package io.millrace.cli.migration;

import io.millrace.api.DataSize;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and sizes as Slurm and Grid Engine write them. Pure. */
final class SchedulerValues {
  private static final Pattern SLURM_TIME =
      Pattern.compile(
          "(?:(?<days>\\d{1,5})-(?<hours>\\d{1,5})(?::(?<minutes>\\d{1,5})(?::(?<seconds>\\d{1,5}))?)?"
              + "|(?<first>\\d{1,8})(?::(?<second>\\d{1,5}))?(?::(?<third>\\d{1,5}))?)");
  private static final Pattern SIZE =
      Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)([KkMmGgTt]?)[Bb]?");
  private static final Pattern FROM_NOW =
      Pattern.compile("now\\+(\\d{1,9})(seconds?|minutes?|hours?|days?|weeks?)?");
  private static final DateTimeFormatter GRID_ENGINE_DATE =
      DateTimeFormatter.ofPattern("uuuuMMddHHmm", Locale.ROOT);

  private SchedulerValues() {}

  /**
   * Slurm's forms: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes,
   * days-hours:minutes:seconds; null for no limit.
   *
   * @throws IllegalArgumentException with the forms for any other text
   */
  static Duration slurmTime(String written) {
    String text = written.strip();
    if (text.equalsIgnoreCase("UNLIMITED") || text.equalsIgnoreCase("INFINITE")) {
      return null;
    }
    Matcher form = SLURM_TIME.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a time; use a form such as 90, 1:30:00 or 1-12:00:00");
    }
    Duration time;
    if (form.group("days") != null) {
      time =
          Duration.ofDays(part(form, "days"))
              .plusHours(part(form, "hours"))
              .plusMinutes(part(form, "minutes"))
              .plusSeconds(part(form, "seconds"));
    } else if (form.group("third") != null) {
      time =
          Duration.ofHours(part(form, "first"))
              .plusMinutes(part(form, "second"))
              .plusSeconds(part(form, "third"));
    } else {
      time = Duration.ofMinutes(part(form, "first")).plusSeconds(part(form, "second"));
    }
    return time.isZero() ? null : time;
  }

  private static long part(Matcher form, String group) {
    return form.group(group) == null ? 0 : Long.parseLong(form.group(group));
  }

  /**
   * Grid Engine's forms: seconds, or hours:minutes:seconds, of which parts may be empty; null for
   * no limit.
   *
   * @throws IllegalArgumentException with the forms for any other text
   */
  static Duration gridEngineTime(String written) {
    String text = written.strip();
    if (text.equalsIgnoreCase("INFINITY")) {
      return null;
    }
    if (!text.matches("\\d{1,9}|\\d{0,6}:\\d{0,6}:\\d{0,6}")) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a time; use a form such as 3600 or 1:30:00");
    }
    long seconds = 0;
    for (String part : text.split(":", -1)) {
      seconds = seconds * 60 + (part.isEmpty() ? 0 : Long.parseLong(part));
    }
    return seconds == 0 ? null : Duration.ofSeconds(seconds);
  }

  /**
   * A size; null for 0.
   *
   * @param unit of numbers without one: K, M, G, T or empty for bytes
   * @throws IllegalArgumentException with the forms for any other text
   */
  static DataSize size(String written, String unit) {
    Matcher form = SIZE.matcher(written.strip());
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + written.strip() + "' is not a size; use a form such as 500M or 4G");
    }
    String given = form.group(2).isEmpty() ? unit : form.group(2).toUpperCase(Locale.ROOT);
    long factor = given.isEmpty() ? 1 : 1L << (10 * (1 + "KMGT".indexOf(given)));
    long bytes = new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(factor)).longValue();
    return bytes == 0 ? null : new DataSize(bytes);
  }

  /**
   * The earliest start as Slurm writes it: {@code now+1hour}, {@code 2026-03-01T12:30}, {@code
   * 16:00} (the next one), {@code today}, {@code tomorrow}, {@code midnight}, {@code noon}.
   *
   * @throws IllegalArgumentException with the forms for any other text
   */
  static Instant slurmBegin(String written, Instant now, ZoneId zone) {
    String text = written.strip();
    String lower = text.toLowerCase(Locale.ROOT);
    ZonedDateTime here = now.atZone(zone);
    Matcher fromNow = FROM_NOW.matcher(lower);
    try {
      if (lower.equals("now") || lower.equals("today")) {
        return now;
      } else if (fromNow.matches()) {
        return now.plus(duration(Long.parseLong(fromNow.group(1)), fromNow.group(2)));
      } else if (lower.equals("tomorrow")) {
        return here.plusDays(1).toInstant();
      } else if (lower.equals("midnight") || lower.equals("noon")) {
        return next(here, lower.equals("noon") ? LocalTime.NOON : LocalTime.MIDNIGHT);
      } else if (text.matches("\\d{1,2}:\\d{2}(:\\d{2})?")) {
        return next(here, LocalTime.parse(text.indexOf(':') == 1 ? "0" + text : text));
      } else if (text.indexOf('T') > 0) {
        return LocalDateTime.parse(text).atZone(zone).toInstant();
      }
      return LocalDate.parse(text).atStartOfDay(zone).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a time; use a form such as now+1hour, 16:00 or 2026-03-01T12:30",
          e);
    }
  }

  private static Duration duration(long amount, String unit) {
    return switch (unit == null ? 's' : unit.charAt(0)) {
      case 'm' -> Duration.ofMinutes(amount);
      case 'h' -> Duration.ofHours(amount);
      case 'd' -> Duration.ofDays(amount);
      case 'w' -> Duration.ofDays(7 * amount);
      default -> Duration.ofSeconds(amount);
    };
  }

  private static Instant next(ZonedDateTime here, LocalTime time) {
    ZonedDateTime today = here.with(time);
    return (today.isAfter(here) ? today : today.plusDays(1)).toInstant();
  }

  /**
   * The earliest start as Grid Engine writes it: {@code [[CC]YY]MMDDhhmm[.SS]}.
   *
   * @throws IllegalArgumentException with the form for any other text
   */
  static Instant gridEngineBegin(String written, Instant now, ZoneId zone) {
    String text = written.strip();
    String digits = text.replaceFirst("\\.\\d{2}$", "");
    String year = String.format(Locale.ROOT, "%04d", now.atZone(zone).getYear());
    try {
      String whole =
          switch (digits.length()) {
            case 8 -> year + digits;
            case 10 -> year.substring(0, 2) + digits;
            default -> digits;
          };
      int seconds = digits.equals(text) ? 0 : Integer.parseInt(text.substring(text.length() - 2));
      return LocalDateTime.parse(whole, GRID_ENGINE_DATE)
          .plusSeconds(seconds)
          .atZone(zone)
          .toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a time; use the form YYYYMMDDhhmm, such as 202603011230", e);
    }
  }
}
