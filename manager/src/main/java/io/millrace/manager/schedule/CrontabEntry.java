package io.millrace.manager.schedule;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line that runs something.
 *
 * @param schedule five fields or a name such as @daily
 * @param user null in a user's own crontab
 * @param command with its percent signs
 */
record CrontabEntry(String schedule, String user, String command) {
  private static final String NAMED = "@[A-Za-z_]+";
  private static final String FIELDS = "(?:\\S+\\s+){4}\\S+";
  private static final Pattern OWN = pattern("");
  private static final Pattern SYSTEM = pattern("(?<user>\\S+)\\s+");

  /** Five fields as only an entry has them: the first three are no words. */
  private static final Pattern LIKELY =
      Pattern.compile(
          "\\s*(" + NAMED + "|[0-9*/,-]+\\s+[0-9*/,-]+\\s+[0-9*/,-]+\\s+\\S+\\s+\\S+)\\s+\\S.*");

  private static Pattern pattern(String user) {
    return Pattern.compile(
        "\\s*-?(?<schedule>" + NAMED + "|" + FIELDS + ")\\s+" + user + "(?<command>\\S.*)");
  }

  static Optional<CrontabEntry> read(String line, boolean system) {
    Matcher matcher = (system ? SYSTEM : OWN).matcher(line);
    return matcher.matches()
        ? Optional.of(
            new CrontabEntry(
                matcher.group("schedule").replaceAll("\\s+", " "),
                system ? matcher.group("user") : null,
                matcher.group("command").stripTrailing()))
        : Optional.empty();
  }

  /** Whether a remark is an entry that somebody switched off. */
  static boolean switchedOff(String remark) {
    return LIKELY.matcher(remark).matches();
  }
}
