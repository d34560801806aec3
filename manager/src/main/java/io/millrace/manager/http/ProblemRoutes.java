package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.insight.EndedProblem;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.ProblemSilence;
import io.millrace.api.insight.ProblemSilence.SilenceRequest;
import io.millrace.manager.insight.OverviewService;
import io.millrace.manager.problem.ProblemRecords;
import io.millrace.manager.problem.SilencedSubjects;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;

/** Problems, those that ended, and silences. */
public final class ProblemRoutes {
  private static final RequestParameter<Long> LIMIT = CommonParameters.limit(100, 1_000);
  private static final RequestParameter<Long> SILENCE =
      RequestParameter.pathNumber("id", "the number of the silence", 1);

  private final OverviewService overviews;
  private final ProblemRecords records;
  private final SilencedSubjects subjects;

  public ProblemRoutes(
      OverviewService overviews, ProblemRecords records, SilencedSubjects subjects) {
    this.overviews = overviews;
    this.records = records;
    this.subjects = subjects;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
                "/v1/problems",
                Role.readers(),
                ctx -> Requests.answer(ctx, overviews.overview().alerts()))
            .described(
                named("listProblems", "What needs an operator's attention now")
                    .answersListOf(Alert.class)),
        Route.get("/v1/problems/ended", Role.readers(), this::ended)
            .described(
                named("listEndedProblems", "Problems that have ended, the last first")
                    .reads(LIMIT)
                    .answersListOf(EndedProblem.class)),
        Route.get(
                "/v1/problems/silences",
                Role.readers(),
                ctx -> Requests.answer(ctx, records.silences()))
            .described(
                named("listSilences", "Silences of problems in force")
                    .answersListOf(ProblemSilence.class)),
        Route.post("/v1/problems/silences", Role.operators(), this::silence)
            .described(
                named("silenceProblems", "Silences problems for a time")
                    .takes(SilenceRequest.class)
                    .answers(ProblemSilence.class)
                    .refuses(
                        ErrorCode.UNKNOWN_QUEUE, ErrorCode.UNKNOWN_TASK, ErrorCode.UNKNOWN_NODE)),
        Route.delete("/v1/problems/silences/{id}", Role.operators(), this::lift)
            .described(
                named("liftSilence", "Ends a silence before its time")
                    .reads(SILENCE)
                    .answers(ProblemSilence.class)
                    .refuses(ErrorCode.UNKNOWN_SILENCE)));
  }

  private void ended(Context ctx) {
    int limit = Requests.value(ctx, LIMIT).intValue();
    Requests.answer(ctx, records.ended(limit));
  }

  private void silence(Context ctx) {
    SilenceRequest request = Requests.json(ctx, SilenceRequest.class);
    String actor = Requests.principal(ctx).subject();
    subjects.require(request, overviews.overview().alerts());
    Requests.answer(ctx, records.silence(request, actor));
  }

  private void lift(Context ctx) {
    Requests.answer(ctx, records.lift(Requests.value(ctx, SILENCE)));
  }
}
