package io.millrace.manager.schedule;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The variables of a crontab; each holds for the lines below it. Used by one thread. */
final class CronVariables {
  private static final Pattern ASSIGNMENT =
      Pattern.compile("\\s*([\"']?)([A-Za-z_][A-Za-z0-9_]*)\\1\\s*=\\s*(.*?)\\s*");

  private final Map<String, String> values = new LinkedHashMap<>();

  /** Takes a line if it sets a variable. */
  boolean take(String line) {
    Matcher matcher = ASSIGNMENT.matcher(line);
    if (!matcher.matches()) {
      return false;
    }
    values.put(matcher.group(2), unquoted(matcher.group(3)));
    return true;
  }

  private static String unquoted(String value) {
    boolean quoted =
        value.length() >= 2
            && (value.startsWith("\"") || value.startsWith("'"))
            && value.charAt(0) == value.charAt(value.length() - 1);
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name)).filter(value -> !value.isEmpty());
  }

  /** What the commands see; what cron itself is meant by is left out. */
  Map<String, String> environment() {
    Map<String, String> seen = new LinkedHashMap<>(values);
    seen.keySet().removeIf(CronVariables::forCron);
    return seen;
  }

  private static boolean forCron(String name) {
    return switch (name) {
      case "MAILTO",
          "MAILFROM",
          "CRON_TZ",
          "RANDOM_DELAY",
          "CONTENT_TYPE",
          "CONTENT_TRANSFER_ENCODING" ->
          true;
      default -> false;
    };
  }
}
