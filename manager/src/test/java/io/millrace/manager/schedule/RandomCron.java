package io.millrace.manager.schedule;

import java.time.LocalDateTime;
import java.util.List;
import java.util.Random;

/** Expressions at random, of which most happen now and then. */
final class RandomCron {
  private static final List<String> MONTHS =
      List.of("*", "*", "*", "1-6", "feb,mar", "*/3", "10", "JAN-DEC/2", "6-11");
  private static final List<String> DAYS =
      List.of("*", "*", "*", "1", "13", "31", "1,15", "*/2", "*/10", "28-31", "5-20/5", "1-31");
  private static final List<String> WEEKDAYS =
      List.of("*", "*", "*", "1-5", "sat,sun", "0", "7", "MON", "*/2", "5-7", "0-6", "2,4");
  private static final List<String> QUARTZ_DAYS =
      List.of("L", "L-3", "LW", "15W", "1W", "31W", "30W", "1,L", "10,20W", "L,15", "13", "1-7");
  private static final List<String> QUARTZ_WEEKDAYS =
      List.of(
          "6L", "FRIL", "2#1", "MON#5", "7#3", "L", "1", "2-6", "FRI-MON", "1#2,3#4", "SUN,WED");

  private static final List<String> UNIX_WEEKDAYS =
      List.of(
          "5L", "FRIL", "1#1", "MON#5", "0#3", "7L", "1", "1-5", "FRI-MON", "0#2,2#4", "SUN,WED");

  private RandomCron() {}

  /** Five fields with days that are counted in their month, in either field or both. */
  static String counted(Random random) {
    int fields = random.nextInt(3);
    return String.join(
        " ",
        minute(random),
        one(List.of("0", "2", "12", "22-2", "*/8"), random),
        fields == 0 ? one(List.of("*", "?"), random) : one(QUARTZ_DAYS, random),
        one(MONTHS, random),
        fields == 1 ? one(List.of("*", "?"), random) : one(UNIX_WEEKDAYS, random));
  }

  /** Five fields. */
  static String unix(Random random) {
    return String.join(
        " ",
        minute(random),
        one(List.of("*", "*", "0", "23", "*/6", "1-4", "9-17/2", "0,12"), random),
        one(DAYS, random),
        one(MONTHS, random),
        one(WEEKDAYS, random));
  }

  /** Five fields, with an hour that is or isn't shown when the clocks change. */
  static String near(LocalDateTime change, Random random) {
    return String.join(
        " ", minute(random), hour(change, random), "*", "*", random.nextInt(4) == 0 ? "0,6" : "*");
  }

  /** Six fields around a change. */
  static String withSeconds(LocalDateTime change, Random random) {
    return String.join(
        " ",
        one(List.of("0/20", "30", "5,59", "*/45"), random),
        minute(random),
        hour(change, random),
        "?",
        "*",
        "*");
  }

  /** Six or seven fields with days that are counted in their month. */
  static String quartz(Random random) {
    boolean byDay = random.nextBoolean();
    return String.join(
            " ",
            "0",
            one(List.of("0", "30", "5/20", "59"), random),
            one(List.of("0", "2", "12", "22-2", "*/8"), random),
            byDay ? one(QUARTZ_DAYS, random) : "?",
            one(MONTHS, random),
            byDay ? "?" : one(QUARTZ_WEEKDAYS, random))
        + (random.nextInt(3) == 0 ? " 2020-2035/2" : "");
  }

  private static String hour(LocalDateTime change, Random random) {
    int hour = change.getHour();
    return switch (random.nextInt(6)) {
      case 0 -> "*";
      case 1 -> Integer.toString(hour);
      case 2 -> Integer.toString((hour + 23) % 24);
      case 3 -> Integer.toString((hour + 1) % 24);
      case 4 -> "*/2";
      default -> hour % 24 + "," + (hour + 23) % 24 + ",12";
    };
  }

  private static String minute(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> "0";
      case 1 -> "*/15";
      case 2 -> "*";
      case 3 -> random.nextInt(60) + "-59/7";
      case 4 -> random.nextInt(30) + "," + (30 + random.nextInt(30));
      default -> Integer.toString(random.nextInt(60));
    };
  }

  private static String one(List<String> some, Random random) {
    return some.get(random.nextInt(some.size()));
  }
}
