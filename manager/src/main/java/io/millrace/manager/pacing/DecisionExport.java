package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.pacing.PacingDecisionView;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The format of an export of decisions, which is written as they are read. */
public enum DecisionExport {
  JSON("application/json", "[", ",\n", "]\n"),
  NDJSON("application/x-ndjson", "", "\n", "\n"),
  CSV("text/csv", "", "\n", "\n");

  private static final List<String> FIGURES =
      Arrays.stream(DecisionFigure.values()).map(DecisionFigure::key).sorted().toList();

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

  /**
   * The format of that name; null for the default.
   *
   * @throws MillraceException INVALID_REQUEST for an unknown one
   */
  public static DecisionExport of(String format) {
    return switch (format == null ? "ndjson" : format) {
      case "json" -> JSON;
      case "ndjson" -> NDJSON;
      case "csv" -> CSV;
      default ->
          throw new MillraceException(
              ErrorCode.INVALID_REQUEST,
              "format must be json, ndjson or csv, not '" + format + "'");
    };
  }

  public String mediaType() {
    return mediaType;
  }

  /** Writes decisions one after the other. */
  public Writer writer(OutputStream out) throws IOException {
    Writer writer = new Writer(out);
    writer.text(begin);
    if (this == CSV) {
      writer.line("at,node,attempt,start,policy,gate,reason," + String.join(",", FIGURES));
    }
    return writer;
  }

  /** Used by one thread. */
  public final class Writer {
    private final OutputStream out;
    private boolean first = true;

    private Writer(OutputStream out) {
      this.out = out;
    }

    public void write(PacingDecisionView decision) throws IOException {
      line(DecisionExport.this == CSV ? csv(decision) : Json.write(decision));
    }

    public void end() throws IOException {
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

  /** A leading = + - or @ would be a formula in a spreadsheet, so an apostrophe is added. */
  private static String quoted(String text) {
    String value = text == null ? "" : text;
    boolean formula = !value.isEmpty() && "=+-@".indexOf(value.charAt(0)) >= 0;
    return '"' + (formula ? "'" : "") + value.replace("\"", "\"\"") + '"';
  }
}
