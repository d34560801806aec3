package io.millrace.simulator.pacing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A recorded stream of events. A file has either {@code timestamp,value} lines, where the value is
 * the number of events from then until the next line, or one timestamp per event; a heading is
 * skipped. The last value lasts as long as the one before it. Immutable.
 */
public final class Trace implements RateCurve {
  /** Seconds. */
  private static final double LONGEST_MOMENT = 10;

  /** Seconds from the start at which an interval begins, and the end of the last. */
  private final double[] begins;

  /** Events before each of those. */
  private final double[] before;

  private Trace(double[] begins, double[] before) {
    this.begins = begins;
    this.before = before;
  }

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException naming the line that makes no sense
   */
  public static Trace read(Path file) throws IOException {
    TraceLines lines = new TraceLines(file.getFileName().toString());
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    }
    return lines.trace();
  }

  /**
   * A trace of intervals.
   *
   * @param begins epoch seconds, rising
   * @param values events of each interval
   */
  static Trace of(double[] begins, double[] values) {
    int intervals = begins.length;
    double[] relative = new double[intervals + 1];
    double[] sums = new double[intervals + 1];
    for (int i = 0; i < intervals; i++) {
      relative[i] = begins[i] - begins[0];
      sums[i + 1] = sums[i] + values[i];
    }
    double last = intervals > 1 ? relative[intervals - 1] - relative[intervals - 2] : 1;
    relative[intervals] = relative[intervals - 1] + last;
    return new Trace(relative, sums);
  }

  /** Length in seconds. */
  public double seconds() {
    return begins[begins.length - 1];
  }

  /**
   * Whether it counts the events of intervals so long that it says nothing of when in them they
   * came: independent events are a better guess then than even ones.
   */
  public boolean countsOfIntervals() {
    return seconds() / (begins.length - 1) > LONGEST_MOMENT;
  }

  public double events() {
    return before[before.length - 1];
  }

  @Override
  public double until(double second) {
    if (second <= 0) {
      return 0;
    }
    if (second >= seconds()) {
      return events();
    }
    int found = Arrays.binarySearch(begins, second);
    int interval = found >= 0 ? found : -found - 2;
    double share = (second - begins[interval]) / (begins[interval + 1] - begins[interval]);
    return before[interval] + share * (before[interval + 1] - before[interval]);
  }
}
