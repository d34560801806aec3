package io.millrace.manager.http;

import static io.millrace.manager.http.CommonParameters.NODE;
import static io.millrace.manager.http.CommonParameters.QUEUE;
import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.pacing.PacingRound;
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
import io.millrace.platform.openapi.RequestParameter;
import java.io.BufferedOutputStream;
import java.io.IOException;
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

  private static final RequestParameter<Duration> SINCE =
      RequestParameter.duration("since", "how far back", DEFAULT_PERIOD, MAX_PERIOD);
  private static final RequestParameter<Long> EXPLAINED =
      RequestParameter.number("limit", "the most decisions", DEFAULT_LIMIT, 0, MAX_LIMIT);
  private static final RequestParameter<Long> LIMIT =
      CommonParameters.limit(DEFAULT_LIMIT, MAX_LIMIT);
  private static final RequestParameter<String> FORMAT =
      RequestParameter.choice(
          "format", "the format of the export", "ndjson", List.of("ndjson", "json", "csv"));
  private static final RequestParameter<Instant> FROM =
      RequestParameter.instant("from", "the beginning of the period; an hour before its end");
  private static final RequestParameter<Instant> TO =
      RequestParameter.instant("to", "the end of the period; now if absent");

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
        Route.post("/v1/pacing/rounds", Set.of(Role.EXECUTION_NODE), proofs.each(this::round))
            .described(
                named("decidePacing", "Takes the decisions of a node's queue managers at a tick")
                    .takes(PacingRound.class)
                    .answers(PacingRoundAnswer.class)),
        Route.get("/v1/queues/{queue}/explanation", Role.readers(), this::explain)
            .described(
                named("explainQueue", "Why the queue has its current number of workers")
                    .reads(QUEUE, NODE, SINCE, EXPLAINED)
                    .answers(PacingExplanation.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_SEGMENT)),
        Route.get("/v1/queues/{queue}/decisions/export", Role.readers(), this::export)
            .described(
                named("exportPacingDecisions", "The decisions of a period, oldest first")
                    .reads(QUEUE, NODE, FORMAT, FROM, TO)
                    .answersMedia("application/x-ndjson")
                    .answersMedia("application/json")
                    .answersMedia("text/csv")
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.get("/v1/queues/{queue}/overrides", Role.readers(), this::overrides)
            .described(
                named("listOverrides", "Temporary settings of a queue, newest first")
                    .reads(QUEUE, LIMIT)
                    .answersListOf(PacingOverride.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)),
        Route.put("/v1/queues/{queue}/override", Role.operators(), this::setOverride)
            .described(
                named("setOverride", "Sets workers or the wait target for a time")
                    .reads(QUEUE)
                    .takes(OverrideRequest.class)
                    .answers(PacingOverride.class)
                    .refuses(ErrorCode.UNKNOWN_QUEUE, ErrorCode.CONFLICT)),
        Route.delete("/v1/queues/{queue}/override", Role.operators(), this::endOverride)
            .described(
                named("endOverride", "Ends the temporary settings early")
                    .reads(QUEUE)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_QUEUE)));
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
            Requests.value(ctx, QUEUE),
            Requests.value(ctx, NODE),
            Requests.value(ctx, SINCE),
            (int) (long) Requests.value(ctx, EXPLAINED)));
  }

  private void export(Context ctx) throws IOException {
    String queue = Requests.value(ctx, QUEUE);
    explanations.require(queue);
    DecisionExport form = DecisionExport.of(Requests.value(ctx, FORMAT));
    Instant to = time(ctx, TO, explanations.now());
    Instant from = time(ctx, FROM, to.minus(DEFAULT_PERIOD));
    ctx.contentType(form.mediaType());
    BufferedOutputStream out = new BufferedOutputStream(ctx.res().getOutputStream());
    DecisionExport.Writer writer = form.writer(out);
    long last = 0;
    List<PacingDecisionView> page;
    do {
      page = explanations.page(queue, Requests.value(ctx, NODE), from, to, last, PAGE);
      for (PacingDecisionView one : page) {
        writer.write(one);
        last = one.number();
      }
    } while (page.size() == PAGE);
    writer.end();
  }

  private static Instant time(Context ctx, RequestParameter<Instant> parameter, Instant otherwise) {
    Instant given = Requests.value(ctx, parameter);
    return given == null ? otherwise : given;
  }

  private void overrides(Context ctx) {
    int limit = (int) (long) Requests.value(ctx, LIMIT);
    Requests.answer(ctx, overrides.newest(Requests.value(ctx, QUEUE), limit));
  }

  private void setOverride(Context ctx) {
    OverrideRequest request = Requests.json(ctx, OverrideRequest.class);
    Requests.answer(ctx, overrides.set(Requests.value(ctx, QUEUE), request, actor(ctx)));
  }

  /** Succeeds also when there is no override to end. */
  private void endOverride(Context ctx) {
    overrides.end(Requests.value(ctx, QUEUE), actor(ctx));
    ctx.status(204);
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }
}
