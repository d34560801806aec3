package io.millrace.manager.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.pacing.PacingDecisionView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The form in which decisions are exported, written as they are read. */
enum DecisionExport {
  JSON("application/json", "[", ",\n", "]\n"),
  NDJSON("application/x-ndjson", "", "\n", "\n"),
  CSV("text/csv", "", "\n", "\n");

  private static final Set<String> FIGURES =
      new TreeSet<>(
          Set.of(
              "waiting",
              "leased",
              "oldestSeconds",
              "inserted",
              "acknowledged",
              "weight",
              "starting",
              "running",
              "started",
              "finished",
              "openCapacity",
              "queueOutstanding",
              "arrivalRate",
              "wanted",
              "startLatencySeconds",
              "runSeconds",
              "failedRuns",
              "batch",
              "tickSeconds",
              "waitTargetSeconds",
              "maxWorkers",
              "maxStarting",
              "maxPerNode",
              "maxEventsPerSecond",
              "upperLimit",
              "lowerLimit",
              "backlog",
              "lingerSeconds",
              "longestRunSeconds"));

  private final String mediaType;
  private final String begin;
  private final String between;
  private final String end;

  DecisionExport(String mediaType, String begin, String between, String end) {
    this.mediaType = mediaType;
    this.begin = begin;
    this.between = between;
    this.end = end;
  }

  static DecisionExport of(String word) {
    return switch (word == null ? "ndjson" : word) {
      case "json" -> JSON;
      case "ndjson" -> NDJSON;
      case "csv" -> CSV;
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_REQUEST, "format is json, ndjson or csv, not '" + word + "'");
    };
  }

  String mediaType() {
    return mediaType;
  }

  /** Writes decisions one after the other; closing it ends the document and not the stream. */
  Writer writer(OutputStream out) throws IOException {
    Writer writer = new Writer(out);
    writer.text(begin);
    if (this == CSV) {
      writer.line("at,node,attempt,start,policy,gate,reason," + String.join(",", FIGURES));
    }
    return writer;
  }

  /** Used by one thread. */
  final class Writer {
    private final OutputStream out;
    private boolean first = true;

    private Writer(OutputStream out) {
      this.out = out;
    }

    void write(PacingDecisionView decision) throws IOException {
      line(DecisionExport.this == CSV ? csv(decision) : Json.write(decision));
    }

    void end() throws IOException {
      text(first && DecisionExport.this == NDJSON ? "" : end);
      out.flush();
    }

    private void line(String line) throws IOException {
      text(first ? line : between + line);
      first = false;
    }

    private void text(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String csv(PacingDecisionView decision) {
    StringBuilder line = new StringBuilder();
    line.append(decision.at())
        .append(',')
        .append(quoted(decision.node()))
        .append(',')
        .append(decision.attempt())
        .append(',')
        .append(decision.start())
        .append(',')
        .append(quoted(decision.policy()))
        .append(',')
        .append(quoted(decision.gate()))
        .append(',')
        .append(quoted(decision.reason()));
    Map<String, Double> inputs = decision.inputs() == null ? Map.of() : decision.inputs();
    for (String figure : FIGURES) {
      Double value = inputs.get(figure);
      line.append(',').append(value == null ? "" : value.toString());
    }
    return line.toString();
  }

  /** A leading = + - or @ would be a formula in a spreadsheet, so it gets an apostrophe. */
  private static String quoted(String text) {
    String words = text == null ? "" : text;
    boolean formula = !words.isEmpty() && "=+-@".indexOf(words.charAt(0)) >= 0;
    return '"' + (formula ? "'" : "") + words.replace("\"", "\"\"") + '"';
  }
}
