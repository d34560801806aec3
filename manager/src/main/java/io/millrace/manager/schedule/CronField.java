package io.millrace.manager.schedule;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * One field of a cron expression.
 *
 * @param kind which one
 * @param values the values that it allows, days of the week from 0 for Sunday; not modified
 * @param star whether it began with a star, which to Unix cron means unrestricted even in {@code
 *     *}{@code /2}
 */
@Pure
record CronField(FieldKind kind, TreeSet<Integer> values, boolean star) {

  /** A field that allows everything. */
  static CronField any(FieldKind kind) {
    return read(kind, "*");
  }

  /**
   * Reads lists, ranges, steps and names.
   *
   * @throws MillraceException INVALID_DEFINITION with the values allowed
   */
  static CronField read(FieldKind kind, String text) {
    TreeSet<Integer> values = new TreeSet<>();
    for (String part : text.split(",", -1)) {
      read(kind, part, values);
    }
    return new CronField(kind, values, text.startsWith("*"));
  }

  /**
   * Why a step of the text is larger than the range that it divides, which leaves one value; empty
   * if none is. The text has been read.
   */
  static Optional<String> oversizedStep(FieldKind kind, String text) {
    for (String part : text.split(",", -1)) {
      if (!part.contains("/")) {
        continue;
      }
      Range range = range(kind, part);
      int span = Math.min(range.to() - range.from(), kind.size() - 1);
      if (range.step() > Math.max(1, span)) {
        return Optional.of(
            "%s '%s' has a step that is larger than its range, so that only %d would match; write %d or a smaller step%s"
                .formatted(kind.title(), part, range.from(), range.from(), kind.interval(range)));
      }
    }
    return Optional.empty();
  }

  private static void read(FieldKind kind, String part, TreeSet<Integer> values) {
    Range range = range(kind, part);
    for (int number = range.from(); number <= range.to(); number += range.step()) {
      values.add(kind.kept(number > kind.most() ? number - kind.size() : number));
    }
  }

  private static Range range(FieldKind kind, String part) {
    String[] stepped = part.split("/", -1);
    if (stepped.length > 2) {
      throw refuse(kind, part, "has two steps; write one such as */15");
    }
    String[] range = stepped[0].equals("*") ? new String[0] : stepped[0].split("-", -1);
    if (range.length > 2) {
      throw refuse(kind, part, "is not a range; write one such as 1-5");
    }
    int from = range.length == 0 ? kind.least() : number(kind, part, range[0]);
    int to = range.length == 2 ? number(kind, part, range[1]) : from;
    if (range.length == 0 || (range.length == 1 && stepped.length == 2)) {
      to = kind.most();
    }
    int step = stepped.length == 2 ? step(kind, part, stepped[1]) : 1;
    if (to < from) {
      to = end(kind, part, to);
    }
    return new Range(from, to, step);
  }

  /**
   * A part of a field.
   *
   * @param to beyond the field's end if the range goes on at its beginning
   */
  private record Range(int from, int to, int step) {}

  /** The end of a range that wraps around, counted beyond the end of the field. */
  private static int end(FieldKind kind, String part, int to) {
    if (kind == FieldKind.YEAR) {
      throw refuse(kind, part, "runs backwards; write the earlier year first");
    }
    return to + kind.size();
  }

  private static int step(FieldKind kind, String part, String text) {
    if (!text.matches("[0-9]{1,4}") || Integer.parseInt(text) == 0) {
      throw refuse(kind, part, "has an invalid step; write a number from 1");
    }
    return Integer.parseInt(text);
  }

  private static int number(FieldKind kind, String part, String text) {
    OptionalInt number = kind.number(text);
    if (number.isPresent()) {
      return number.getAsInt();
    }
    String hint =
        text.startsWith("H") || part.contains("~")
            ? "; for a random minute write schedule.jitter"
            : text.equals("?") ? "; a question mark is for the two day fields" : "";
    throw refuse(
        kind, part, "must be %d to %d%s%s".formatted(kind.least(), kind.most(), names(kind), hint));
  }

  private static String names(FieldKind kind) {
    return kind == FieldKind.MONTH ? " or JAN to DEC" : kind.weekday() ? " or SUN to SAT" : "";
  }

  private static MillraceException refuse(FieldKind kind, String part, String rule) {
    return new MillraceException(
        ErrorCode.INVALID_DEFINITION,
        "schedule.cron: %s '%s' %s".formatted(kind.title(), part, rule));
  }

  /** Whether it allows everything. */
  boolean everything() {
    return values.size() == kind.size();
  }

  /** In the syntax of Quartz, value by value. */
  String quartz() {
    if (everything()) {
      return "*";
    }
    int offset = kind.weekday() ? 1 : 0;
    return values.stream()
        .map(value -> Integer.toString(value + offset))
        .collect(Collectors.joining(","));
  }

  /** The fields of cron expressions. Days of the week are 0 to 6 once parsed. */
  @Pure
  enum FieldKind {
    SECOND("second", 0, 59),
    MINUTE("minute", 0, 59),
    HOUR("hour", 0, 23),
    DAY("day of month", 1, 31),
    MONTH("month", 1, 12),
    /** 0 and 7 are Sunday. */
    UNIX_WEEKDAY("day of week", 0, 7),
    /** 1 is Sunday. */
    QUARTZ_WEEKDAY("day of week", 1, 7),
    YEAR("year", 1970, 2199);

    private static final List<String> MONTHS =
        List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    private static final List<String> WEEKDAYS =
        List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

    private final String title;
    private final int min;
    private final int max;

    FieldKind(String title, int min, int max) {
      this.title = title;
      this.min = min;
      this.max = max;
    }

    String title() {
      return title;
    }

    int least() {
      return min;
    }

    int most() {
      return max;
    }

    boolean weekday() {
      return this == UNIX_WEEKDAY || this == QUARTZ_WEEKDAY;
    }

    /**
     * The number that a text denotes, before days of the week are normalized; empty if it is
     * invalid.
     */
    OptionalInt number(String text) {
      if (text.matches("[0-9]{1,4}")) {
        int number = Integer.parseInt(text);
        return number >= min && number <= max ? OptionalInt.of(number) : OptionalInt.empty();
      }
      String name = text.toUpperCase(Locale.ROOT);
      int at =
          this == MONTH
              ? indexOf(MONTHS, name, month -> EnglishLists.month(month + 1))
              : weekday() ? indexOf(WEEKDAYS, name, EnglishLists::weekday) : -1;
      return at < 0 ? OptionalInt.empty() : OptionalInt.of(this == UNIX_WEEKDAY ? at : at + 1);
    }

    private static int indexOf(List<String> brief, String name, IntFunction<String> full) {
      for (int at = 0; at < brief.size(); at++) {
        if (name.equals(brief.get(at)) || name.equalsIgnoreCase(full.apply(at))) {
          return at;
        }
      }
      return -1;
    }

    /** How to write what a step over everything means, if an interval can. */
    String interval(Range range) {
      String unit =
          switch (this) {
            case SECOND -> "s";
            case MINUTE -> "m";
            case HOUR -> "h";
            default -> "";
          };
      return unit.isEmpty() || range.from() != 0
          ? ""
          : "; for an interval of that length write schedule.every: " + range.step() + unit;
    }

    /** The normalized value. */
    int kept(int number) {
      return switch (this) {
        case UNIX_WEEKDAY -> number % 7;
        case QUARTZ_WEEKDAY -> number - 1;
        default -> number;
      };
    }

    /** The number of different values. */
    int size() {
      return weekday() ? 7 : max - min + 1;
    }
  }
}
