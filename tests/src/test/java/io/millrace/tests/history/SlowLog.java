package io.millrace.tests.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of one schema in MariaDB's slow log with a limit of 0. */
final class SlowLog {
  private static final Pattern SCHEMA = Pattern.compile("Schema: (\\S*)");
  private static final Pattern FIGURES =
      Pattern.compile("Query_time: ([0-9.]+).*Rows_sent: (\\d+)\\s+Rows_examined: (\\d+)");
  private static final Pattern AFFECTED = Pattern.compile("Rows_affected: (\\d+)");
  private static final long FREE = 100;
  private static final long FACTOR = 10;

  private SlowLog() {}

  /**
   * All runs of one statement.
   *
   * @param text the statement without its values
   * @param examined rows examined by the run with the greatest excess over its result
   * @param result rows that this run returned or changed
   * @param total rows that all runs returned or changed
   */
  record Entry(String text, long runs, long examined, long result, long total, double seconds) {
    /** The examined rows in excess of 100 and of ten times those returned or changed. */
    long excess() {
      return examined - FREE - FACTOR * result;
    }

    Entry and(Entry other) {
      Entry worse = other.excess() > excess() ? other : this;
      return new Entry(
          text,
          runs + other.runs,
          worse.examined,
          worse.result,
          total + other.total,
          Math.max(seconds, other.seconds));
    }
  }

  /** The statements on that schema, those with the greatest excess first. */
  static List<Entry> read(Path log, String schema) throws IOException {
    Map<String, Entry> entries = new TreeMap<>();
    try (BufferedReader reader = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
      List<String> head = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith("# ")) {
          if (text.length() > 0) {
            note(entries, head, text.toString(), schema);
            head.clear();
            text.setLength(0);
          }
          head.add(line);
        } else if (!line.startsWith("SET timestamp") && !line.startsWith("use ")) {
          text.append(line).append(' ');
        }
      }
      note(entries, head, text.toString(), schema);
    }
    return sorted(entries.values());
  }

  private static List<Entry> sorted(Collection<Entry> entries) {
    return entries.stream()
        .sorted(Comparator.comparingLong(Entry::excess).reversed().thenComparing(Entry::text))
        .toList();
  }

  private static void note(
      Map<String, Entry> entries, List<String> head, String sql, String schema) {
    String all = String.join(" ", head);
    Matcher figures = FIGURES.matcher(all);
    Matcher of = SCHEMA.matcher(all);
    if (!figures.find() || !of.find() || !of.group(1).equals(schema)) {
      return;
    }
    Matcher affected = AFFECTED.matcher(all);
    long changed = affected.find() ? Long.parseLong(affected.group(1)) : 0;
    long result = Long.parseLong(figures.group(2)) + changed;
    Entry entry =
        new Entry(
            withoutValues(sql),
            1,
            Long.parseLong(figures.group(3)),
            result,
            result,
            Double.parseDouble(figures.group(1)));
    entries.merge(entry.text(), entry, Entry::and);
  }

  static String withoutValues(String sql) {
    return sql.replaceAll("'(?:[^'\\\\]|\\\\.|'')*'", "?")
        .replaceAll("\\b\\d+(\\.\\d+)?(E\\d+)?\\b", "?")
        .replaceAll("\\?(\\s*,\\s*\\?)+", "?")
        .replaceAll("\\(\\?\\)(\\s*,\\s*\\(\\?\\))+", "(?)")
        .replaceAll(";?\\s*$", "")
        .trim();
  }
}
