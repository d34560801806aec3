package io.millrace.simulator.pacing;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The lines of one trace file, checked one after the other. Used by one thread. */
final class TraceLines {
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
      throw wrong("write 'timestamp,value' in every line, or one timestamp per event");
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
          file + " has no line of the form 'timestamp,value': give a trace with at least one");
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
          "'" + text + "' is no time: write 2015-02-26 21:42:53, 2015-02-26T21:42:53Z or seconds");
    }
  }

  private double value(String text) {
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value < Double.POSITIVE_INFINITY) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong("'" + text + "' is no number of events");
    }
    throw wrong("a number of events is not negative and not infinite");
  }

  private IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException(file + ", line " + number + ": " + why);
  }
}
