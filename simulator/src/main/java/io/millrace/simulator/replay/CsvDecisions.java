package io.millrace.simulator.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decisions exported as CSV. */
final class CsvDecisions {
  private CsvDecisions() {}

  static List<RecordedDecision> read(BufferedReader reader) throws IOException {
    List<String> names = row(reader);
    if (!names.contains("at") || !names.contains("start")) {
      throw new IllegalArgumentException(
          "not a record of decisions: neither JSON nor CSV with the columns at, node and start");
    }
    List<RecordedDecision> found = new ArrayList<>();
    for (List<String> row = row(reader); !row.isEmpty(); row = row(reader)) {
      found.add(decision(names, row));
    }
    return found;
  }

  private static RecordedDecision decision(List<String> names, List<String> row) {
    Map<String, String> words = new HashMap<>();
    Map<String, Double> figures = new HashMap<>();
    for (int i = 0; i < Math.min(names.size(), row.size()); i++) {
      words.put(names.get(i), row.get(i));
      number(row.get(i), names.get(i), figures);
    }
    double start = figures.getOrDefault("start", -1.0);
    return DecisionReader.decision(
        words.getOrDefault("at", ""),
        words.getOrDefault("node", ""),
        (int) start,
        words.getOrDefault("policy", ""),
        words.getOrDefault("gate", ""),
        figures);
  }

  private static void number(String text, String name, Map<String, Double> figures) {
    try {
      figures.put(name, Double.valueOf(text));
    } catch (NumberFormatException e) {
      // A word or an empty field: no figure.
    }
  }

  /** The fields of the next row, which may go over lines within quotes; empty at the end. */
  private static List<String> row(BufferedReader reader) throws IOException {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    boolean any = false;
    for (int sign = reader.read(); sign >= 0; sign = reader.read()) {
      if (sign == '"') {
        quoted = !quoted;
        any = true;
      } else if (quoted) {
        field.append((char) sign);
      } else if (sign == ',') {
        fields.add(field.toString());
        field.setLength(0);
        any = true;
      } else if (sign == '\n') {
        if (any) {
          break;
        }
      } else if (sign != '\r') {
        field.append((char) sign);
        any = true;
      }
    }
    if (any) {
      fields.add(field.toString());
    }
    return fields;
  }
}
