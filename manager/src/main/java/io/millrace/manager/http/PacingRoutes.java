package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRoundAnswer;
import io.millrace.manager.http.AttemptProofs.ProvenRound;
import io.millrace.manager.insight.PacingExplanations;
import io.millrace.manager.pacing.DecisionExport;
import io.millrace.manager.pacing.PacingOverrides;
import io.millrace.manager.pacing.PacingService;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Pacing: why queues have as many workers as they have, the history behind it, temporary overrides,
 * and the rounds of queue managers, each of whose decisions carries the secret of its attempt.
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
  private final AttemptProofs proofs;

  public PacingRoutes(
      PacingService pacing,
      PacingExplanations explanations,
      PacingOverrides overrides,
      AttemptProofs proofs) {
    this.pacing = pacing;
    this.explanations = explanations;
    this.overrides = overrides;
    this.proofs = proofs;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/pacing/rounds", Set.of(Role.EXECUTION_NODE), proofs.each(this::round)),
        Route.get("/v1/queues/{queue}/explanation", Role.readers(), this::explain),
        Route.get("/v1/queues/{queue}/decisions/export", Role.readers(), this::export),
        Route.get("/v1/queues/{queue}/overrides", Role.readers(), this::overrides),
        Route.put("/v1/queues/{queue}/override", Role.operators(), this::setOverride),
        Route.delete("/v1/queues/{queue}/override", Role.operators(), this::endOverride));
  }

  private void round(Context ctx, ProvenRound proven) {
    PacingRoundAnswer answer = pacing.round(proven.round());
    List<PacingAnswer> refused = new ArrayList<>(proven.refused());
    refused.addAll(answer.refused());
    Requests.answer(ctx, new PacingRoundAnswer(refused, answer.views()));
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
}
