package io.millrace.manager.schedule;

import java.util.Arrays;
import java.util.List;

/**
 * The command of a line: the part before the first percent sign, and behind it what cron gives the
 * command as its input, line by line. A percent sign behind a backslash is just one.
 *
 * @param text for the shell
 * @param input null for none
 */
record CronCommand(String text, String input) {
  private static final String DELIMITER = "END_OF_INPUT";

  static CronCommand read(String rest) {
    List<String> parts =
        Arrays.stream(rest.split("(?<!\\\\)%", -1)).map(part -> part.replace("\\%", "%")).toList();
    String text = parts.get(0).strip();
    return parts.size() == 1
        ? new CronCommand(text, null)
        : new CronCommand(text, String.join("\n", parts.subList(1, parts.size())));
  }

  /** What a POSIX shell runs: it takes a here-document for its input first. */
  String script() {
    if (input == null) {
      return text;
    }
    String delimiter = DELIMITER;
    while (input.lines().toList().contains(delimiter)) {
      delimiter += "_";
    }
    // Cron ends the input with a line break too.
    String lines = input.isEmpty() || input.endsWith("\n") ? input : input + "\n";
    return "exec <<'" + delimiter + "'\n" + lines + delimiter + "\n" + text;
  }
}
