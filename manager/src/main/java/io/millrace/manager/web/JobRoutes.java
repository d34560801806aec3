package io.millrace.manager.web;

import io.javalin.http.Context;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.token.Role;
import java.time.Duration;
import java.util.List;

/** Jobs as people see and steer them. */
public final class JobRoutes {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(30);
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);

  private final JobLedger ledger;
  private final JobQueries queries;
  private final LongPoll longPoll;

  public JobRoutes(JobLedger ledger, JobQueries queries, LongPoll longPoll) {
    this.ledger = ledger;
    this.queries = queries;
    this.longPoll = longPoll;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/jobs", Role.operators(), this::submit),
        Route.get("/v1/jobs", Role.lookers(), this::list),
        Route.get("/v1/jobs/{id}", Role.lookers(), this::details),
        Route.post("/v1/jobs/{id}/cancel", Role.operators(), this::cancel),
        Route.post("/v1/jobs/{id}/retry", Role.operators(), this::retry),
        Route.get("/v1/jobs/{id}/wait", Role.lookers(), this::await));
  }

  private void submit(Context ctx) {
    JobSpec spec = Requests.json(ctx, JobSpec.class);
    JobView job = ledger.submit(Requests.principal(ctx).subject(), spec);
    ctx.status(201).header("Location", "/v1/jobs/" + job.id());
    Requests.answer(ctx, job);
  }

  private void list(Context ctx) {
    Requests.answer(ctx, queries.list(JobFilters.of(ctx)));
  }

  private void details(Context ctx) {
    Requests.answer(ctx, queries.details(id(ctx)));
  }

  private void cancel(Context ctx) {
    String words = "cancelled by " + Requests.principal(ctx).subject();
    Requests.answer(ctx, ledger.cancel(id(ctx), words));
  }

  private void retry(Context ctx) {
    Requests.answer(ctx, ledger.retry(id(ctx), Requests.principal(ctx).subject()));
  }

  private void await(Context ctx) {
    long id = id(ctx);
    Duration patience = Requests.duration(ctx, "timeout", USUAL_WAIT, LONGEST_WAIT);
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> queries.change(id),
                    () -> queries.view(id),
                    job -> job.state().ended(),
                    patience)
                .thenAccept(job -> Requests.answer(ctx, job)));
  }

  private static long id(Context ctx) {
    return Requests.pathNumber(ctx, "id");
  }
}
