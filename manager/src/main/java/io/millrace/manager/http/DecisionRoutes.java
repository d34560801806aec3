package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.manager.insight.PacingExplanations;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Why queues have as many workers as they have, and the history behind it. */
public final class DecisionRoutes {
  private static final Duration USUAL = Duration.ofHours(1);
  private static final Duration KEPT = Duration.ofDays(30);
  private static final int USUALLY_SHOWN = 20;
  private static final int MOST_SHOWN = 1_000;
  private static final int PAGE = 1_000;

  private final PacingExplanations explanations;

  public DecisionRoutes(PacingExplanations explanations) {
    this.explanations = explanations;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/queues/{queue}/explanation", Role.lookers(), this::explain),
        Route.get("/v1/queues/{queue}/decisions/export", Role.lookers(), this::export));
  }

  private void explain(Context ctx) {
    Requests.answer(
        ctx,
        explanations.explain(
            ctx.pathParam("queue"),
            node(ctx),
            Requests.duration(ctx, "since", USUAL, KEPT),
            (int) Requests.number(ctx, "limit", USUALLY_SHOWN, 0, MOST_SHOWN)));
  }

  private void export(Context ctx) throws IOException {
    String queue = ctx.pathParam("queue");
    explanations.require(queue);
    DecisionExport form = DecisionExport.of(ctx.queryParam("format"));
    Instant to = time(ctx, "to", explanations.now());
    Instant from = time(ctx, "from", to.minus(USUAL));
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

  private static Instant time(Context ctx, String name, Instant usual) {
    String text = ctx.queryParam(name);
    if (text == null || text.isEmpty()) {
      return usual;
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
}
