package io.millrace.cli.server;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the check of the workers' results found, by event id.
 *
 * @param expected events that must be there
 * @param processed events that are there
 * @param lost expected and not there
 * @param duplicates further times that an event is there
 * @param unexpected ids that the day does not have
 * @param miscounted hits that do not fit the events
 */
record CheckResult(
    long expected, long processed, long lost, long duplicates, long unexpected, long miscounted) {
  private static final Pattern LINE =
      Pattern.compile(
          "expected (\\d+)\\s+processed (\\d+)\\s+lost (\\d+)\\s+duplicates (\\d+)\\s+"
              + "unexpected (\\d+)\\s+miscounted (\\d+)");

  static CheckResult parse(String output) throws IOException {
    Matcher line = LINE.matcher(output);
    if (!line.find()) {
      throw new IOException("the check did not tell its result: " + output.strip());
    }
    return new CheckResult(
        figure(line, 1),
        figure(line, 2),
        figure(line, 3),
        figure(line, 4),
        figure(line, 5),
        figure(line, 6));
  }

  private static long figure(Matcher line, int group) {
    return Long.parseLong(line.group(group));
  }

  /** Nothing lost, invented or miscounted; duplicates are allowed. */
  boolean good() {
    return lost == 0 && unexpected == 0 && miscounted == 0;
  }
}
