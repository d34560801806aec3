package io.millrace.simulator.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import io.millrace.api.Json;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the export of decisions in any of its forms, and the output of {@code queue explain
 * --json}.
 */
public final class DecisionReader {
  private static final int LOOK_AHEAD = 8_192;

  private DecisionReader() {}

  /**
   * All decisions, in the order of the text.
   *
   * @throws IllegalArgumentException if the text has none of these forms
   */
  public static List<RecordedDecision> read(Reader text) throws IOException {
    BufferedReader reader = new BufferedReader(text);
    int first = firstSign(reader);
    if (first < 0) {
      return List.of();
    }
    return first == '{' || first == '[' ? json(reader) : CsvDecisions.read(reader);
  }

  private static int firstSign(BufferedReader reader) throws IOException {
    reader.mark(LOOK_AHEAD);
    int sign = reader.read();
    while (sign >= 0 && Character.isWhitespace(sign)) {
      sign = reader.read();
    }
    reader.reset();
    return sign;
  }

  private static List<RecordedDecision> json(Reader reader) throws IOException {
    List<RecordedDecision> found = new ArrayList<>();
    try (MappingIterator<JsonNode> values =
        Json.mapper().readerFor(JsonNode.class).readValues(reader)) {
      while (values.hasNextValue()) {
        add(values.nextValue(), found);
      }
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      throw new IllegalArgumentException(
          "not a record of decisions, in line " + line + ": " + e.getOriginalMessage(), e);
    }
    return found;
  }

  private static void add(JsonNode value, List<RecordedDecision> found) {
    if (value.isArray()) {
      value.forEach(one -> add(one, found));
    } else if (value.has("decisions")) {
      add(value.get("decisions"), found);
    } else {
      found.add(decision(value));
    }
  }

  private static RecordedDecision decision(JsonNode value) {
    Map<String, Double> figures = new HashMap<>();
    value
        .path("inputs")
        .properties()
        .forEach(field -> figures.put(field.getKey(), field.getValue().asDouble()));
    return decision(
        value.path("at").asText(),
        value.path("node").asText(),
        value.path("start").asInt(-1),
        value.path("policy").asText(),
        value.path("gate").asText(),
        figures);
  }

  static RecordedDecision decision(
      String at, String node, int start, String policy, String gate, Map<String, Double> figures) {
    try {
      if (start >= 0 && !figures.isEmpty()) {
        return new RecordedDecision(Instant.parse(at), node, start, policy, gate, figures);
      }
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("invalid time of a decision: '" + at + "'", e);
    }
    throw new IllegalArgumentException(
        "not a decision: it has no start and no figures; use the output of GET"
            + " /v1/queues/NAME/decisions/export");
  }

  /** Decisions exported as CSV. */
  private static final class CsvDecisions {
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
      Map<String, String> values = new HashMap<>();
      Map<String, Double> figures = new HashMap<>();
      for (int i = 0; i < Math.min(names.size(), row.size()); i++) {
        values.put(names.get(i), row.get(i));
        number(row.get(i), names.get(i), figures);
      }
      double start = figures.getOrDefault("start", -1.0);
      return DecisionReader.decision(
          values.getOrDefault("at", ""),
          values.getOrDefault("node", ""),
          (int) start,
          values.getOrDefault("policy", ""),
          values.getOrDefault("gate", ""),
          figures);
    }

    private static void number(String text, String name, Map<String, Double> figures) {
      try {
        figures.put(name, Double.valueOf(text));
      } catch (NumberFormatException e) {
        // Text or an empty field: not a number.
      }
    }

    /** The fields of the next row, which may contain line breaks in quotes; empty at the end. */
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
}
