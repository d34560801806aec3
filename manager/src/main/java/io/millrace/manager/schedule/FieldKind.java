package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The fields that cron expressions are made of. Days of the week are 0 to 6 once read. */
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

  private final String words;
  private final int least;
  private final int most;

  FieldKind(String words, int least, int most) {
    this.words = words;
    this.least = least;
    this.most = most;
  }

  String words() {
    return words;
  }

  int least() {
    return least;
  }

  int most() {
    return most;
  }

  boolean weekday() {
    return this == UNIX_WEEKDAY || this == QUARTZ_WEEKDAY;
  }

  /** The number that a text means, before it is brought to 0 to 6; empty for none. */
  OptionalInt number(String text) {
    if (text.matches("[0-9]{1,4}")) {
      int number = Integer.parseInt(text);
      return number >= least && number <= most ? OptionalInt.of(number) : OptionalInt.empty();
    }
    List<String> names = this == MONTH ? MONTHS : weekday() ? WEEKDAYS : List.of();
    int at = names.indexOf(text.toUpperCase(Locale.ROOT));
    return at < 0 ? OptionalInt.empty() : OptionalInt.of(this == UNIX_WEEKDAY ? at : at + 1);
  }

  /** The value as it is kept. */
  int kept(int number) {
    return switch (this) {
      case UNIX_WEEKDAY -> number % 7;
      case QUARTZ_WEEKDAY -> number - 1;
      default -> number;
    };
  }

  /** How many different values there are. */
  int size() {
    return weekday() ? 7 : most - least + 1;
  }
}
