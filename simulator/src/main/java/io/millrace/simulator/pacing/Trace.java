package io.millrace.simulator.pacing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A recorded stream of events. A file has either {@code timestamp,value} lines, where the value is
 * the number of events from that time until the next line, or one timestamp per event; a heading is
 * skipped. The last interval is as long as the one before it. Immutable.
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
   * @throws IllegalArgumentException naming the invalid line
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
   * Whether it counts the events of intervals so long that it does not show when within them they
   * arrived: independent events are a better guess then than even ones.
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

  /** Reads and checks the lines of one trace file. Used by one thread. */
  private static final class TraceLines {
    private final String file;
    private final List<double[]> rows = new ArrayList<>();
    private int number;
    private int columns;

    TraceLines(String file) {
      this.file = file;
    }

    void add(String raw) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || (number == 1 && !Character.isDigit(line.charAt(0)))) {
        return;
      }
      String[] fields = line.split(",", -1);
      if (columns == 0) {
        columns = fields.length;
      }
      if (fields.length != columns || columns > 2) {
        throw wrong("use 'timestamp,value' in every line, or one timestamp per event");
      }
      double[] row = {timestamp(fields[0].strip()), columns == 2 ? value(fields[1].strip()) : 1};
      if (!rows.isEmpty() && row[0] < rows.get(rows.size() - 1)[0]) {
        throw wrong("its timestamp is earlier than the one before: sort the file by time");
      }
      rows.add(row);
    }

    Trace trace() {
      if (rows.isEmpty()) {
        throw new IllegalArgumentException(
            file + " has no line of the form 'timestamp,value': use a trace with at least one");
      }
      return columns == 1 ? perSecond() : intervals();
    }

    private Trace intervals() {
      List<double[]> merged = new ArrayList<>();
      for (double[] row : rows) {
        double[] last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
        if (last != null && last[0] == row[0]) {
          last[1] += row[1];
        } else {
          merged.add(row.clone());
        }
      }
      return Trace.of(
          merged.stream().mapToDouble(row -> row[0]).toArray(),
          merged.stream().mapToDouble(row -> row[1]).toArray());
    }

    private Trace perSecond() {
      double first = Math.floor(rows.get(0)[0]);
      double[] counts = new double[(int) (rows.get(rows.size() - 1)[0] - first) + 1];
      rows.forEach(row -> counts[(int) (row[0] - first)]++);
      double[] begins = new double[counts.length];
      Arrays.setAll(begins, second -> first + second);
      return Trace.of(begins, counts);
    }

    private double timestamp(String text) {
      try {
        return Double.parseDouble(text);
      } catch (NumberFormatException notEpochSeconds) {
        return dateAndTime(text.replace(' ', 'T'));
      }
    }

    private double dateAndTime(String text) {
      try {
        Instant instant =
            text.endsWith("Z")
                ? Instant.parse(text)
                : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        return instant.getEpochSecond() + instant.getNano() / 1e9;
      } catch (DateTimeParseException e) {
        throw wrong(
            "'"
                + text
                + "' is not a time: use 2015-02-26 21:42:53, 2015-02-26T21:42:53Z or seconds");
      }
    }

    private double value(String text) {
      try {
        double value = Double.parseDouble(text);
        if (value >= 0 && value < Double.POSITIVE_INFINITY) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw wrong("'" + text + "' is not a number of events");
      }
      throw wrong("the number of events must be finite and not negative");
    }

    private IllegalArgumentException wrong(String why) {
      return new IllegalArgumentException(file + ", line " + number + ": " + why);
    }
  }
}
