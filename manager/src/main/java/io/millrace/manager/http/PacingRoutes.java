package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.pacing.PacingRound;
import io.millrace.manager.insight.PacingExplanations;
import io.millrace.manager.pacing.PacingOverrides;
import io.millrace.manager.pacing.PacingService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Pacing: why queues have as many workers as they have, the history behind it, temporary overrides,
 * and the rounds of queue managers, which come with the token of the node that runs them.
 */
public final class PacingRoutes {
  private static final Duration DEFAULT_PERIOD = Duration.ofHours(1);
  private static final Duration MAX_PERIOD = Duration.ofDays(30);
  private static final int DEFAULT_LIMIT = 20;
  private static final int MAX_LIMIT = 1_000;
  private static final int PAGE = 1_000;

  private final PacingService pacing;
  private final PacingExplanations explanations;
  private final PacingOverrides overrides;

  public PacingRoutes(
      PacingService pacing, PacingExplanations explanations, PacingOverrides overrides) {
    this.pacing = pacing;
    this.explanations = explanations;
    this.overrides = overrides;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/pacing/rounds", Set.of(Role.NODE), this::round),
        Route.get("/v1/queues/{queue}/explanation", Role.readers(), this::explain),
        Route.get("/v1/queues/{queue}/decisions/export", Role.readers(), this::export),
        Route.get("/v1/queues/{queue}/overrides", Role.readers(), this::overrides),
        Route.put("/v1/queues/{queue}/override", Role.operators(), this::setOverride),
        Route.delete("/v1/queues/{queue}/override", Role.operators(), this::endOverride));
  }

  private void round(Context ctx) {
    Requests.answer(ctx, pacing.round(Requests.json(ctx, PacingRound.class)));
  }

  private void explain(Context ctx) {
    Requests.answer(
        ctx,
        explanations.explain(
            ctx.pathParam("queue"),
            node(ctx),
            Requests.duration(ctx, "since", DEFAULT_PERIOD, MAX_PERIOD),
            (int) Requests.number(ctx, "limit", DEFAULT_LIMIT, 0, MAX_LIMIT)));
  }

  private void export(Context ctx) throws IOException {
    String queue = ctx.pathParam("queue");
    explanations.require(queue);
    DecisionExport form = DecisionExport.of(ctx.queryParam("format"));
    Instant to = time(ctx, "to", explanations.now());
    Instant from = time(ctx, "from", to.minus(DEFAULT_PERIOD));
    ctx.contentType(form.mediaType());
    BufferedOutputStream out = new BufferedOutputStream(ctx.res().getOutputStream());
    DecisionExport.Writer writer = form.writer(out);
    long last = 0;
    List<PacingDecisionView> page;
    do {
      page = explanations.page(queue, node(ctx), from, to, last, PAGE);
      for (PacingDecisionView one : page) {
        writer.write(one);
        last = one.number();
      }
    } while (page.size() == PAGE);
    writer.end();
  }

  private static String node(Context ctx) {
    String node = ctx.queryParam("node");
    return node == null || node.isEmpty() ? null : node;
  }

  private static Instant time(Context ctx, String name, Instant otherwise) {
    String text = ctx.queryParam(name);
    if (text == null || text.isEmpty()) {
      return otherwise;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          name + " is a time such as 2026-01-31T12:00:00Z, not '" + text + "'",
          e);
    }
  }

  private void overrides(Context ctx) {
    int limit = (int) Requests.number(ctx, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    Requests.answer(ctx, overrides.newest(ctx.pathParam("queue"), limit));
  }

  private void setOverride(Context ctx) {
    OverrideRequest request = Requests.json(ctx, OverrideRequest.class);
    Requests.answer(ctx, overrides.set(ctx.pathParam("queue"), request, actor(ctx)));
  }

  /** Succeeds also when there is no override to end. */
  private void endOverride(Context ctx) {
    overrides.end(ctx.pathParam("queue"), actor(ctx));
    ctx.status(204);
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }

  /** The format of an export of decisions, which is written as they are read. */
  private enum DecisionExport {
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

    static DecisionExport of(String format) {
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

    String mediaType() {
      return mediaType;
    }

    /** Writes decisions one after the other. */
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

    /** A leading = + - or @ would be a formula in a spreadsheet, so an apostrophe is added. */
    private static String quoted(String text) {
      String value = text == null ? "" : text;
      boolean formula = !value.isEmpty() && "=+-@".indexOf(value.charAt(0)) >= 0;
      return '"' + (formula ? "'" : "") + value.replace("\"", "\"\"") + '"';
    }
  }
}
