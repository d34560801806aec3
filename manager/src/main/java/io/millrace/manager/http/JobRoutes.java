package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.manager.insight.JobExplanations;
import io.millrace.manager.job.BulkActions;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.SearchParser;
import io.millrace.manager.job.SearchParser.SearchTerm;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Submitting, listing, explaining and changing jobs. */
public final class JobRoutes {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(30);
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);

  private final JobLedger ledger;
  private final BulkActions actions;
  private final JobQueries queries;
  private final JobExplanations explanations;
  private final LongPoll longPoll;
  private final BodyReader reader = BodyReader.strict();

  public JobRoutes(
      JobLedger ledger,
      BulkActions actions,
      JobQueries queries,
      JobExplanations explanations,
      LongPoll longPoll) {
    this.ledger = ledger;
    this.actions = actions;
    this.queries = queries;
    this.explanations = explanations;
    this.longPoll = longPoll;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/jobs", Role.operators(), this::submit),
        Route.post("/v1/jobs/batch", Role.operators(), this::submitMany),
        Route.post("/v1/jobs/actions", Role.operators(), this::actOnMany),
        Route.get("/v1/jobs", Role.readers(), this::list),
        Route.get("/v1/jobs/{id}", Role.readers(), this::details),
        Route.post("/v1/jobs/{id}/cancel", Role.operators(), ctx -> act(ctx, Verb.CANCEL)),
        Route.post("/v1/jobs/{id}/retry", Role.operators(), ctx -> act(ctx, Verb.RETRY)),
        Route.post("/v1/jobs/{id}/hold", Role.operators(), ctx -> act(ctx, Verb.HOLD)),
        Route.post("/v1/jobs/{id}/release", Role.operators(), ctx -> act(ctx, Verb.RELEASE)),
        Route.post("/v1/jobs/{id}/priority", Role.operators(), this::prioritize),
        Route.get("/v1/jobs/{id}/wait", Role.readers(), this::await),
        Route.get("/v1/jobs/{id}/explanation", Role.readers(), this::explain));
  }

  private void submit(Context ctx) {
    JobSpec spec = reader.one(ctx, JobSpec.class);
    String key = ctx.header("Idempotency-Key");
    String owner = actor(ctx);
    JobView job = key == null ? ledger.submit(owner, spec) : ledger.submit(owner, spec, key);
    ctx.status(201).header("Location", "/v1/jobs/" + job.id());
    Requests.answer(ctx, job);
  }

  private void submitMany(Context ctx) {
    List<JobSpec> specs = reader.many(ctx, JobSpec.class);
    List<Long> ids = ledger.submitAll(JobKind.SUBMITTED, actor(ctx), specs);
    ctx.status(201);
    Requests.answer(ctx, ids);
  }

  private void actOnMany(Context ctx) {
    Requests.answer(ctx, actions.apply(reader.one(ctx, JobAction.class), actor(ctx)));
  }

  private void list(Context ctx) {
    Requests.answer(ctx, queries.list(JobFilters.of(ctx)));
  }

  private void details(Context ctx) {
    MaskedAnswers.answer(ctx, queries.details(id(ctx)));
  }

  private void act(Context ctx, Verb verb) {
    Requests.answer(ctx, ledger.act(id(ctx), new ActionRequest(verb, null, actor(ctx), null)));
  }

  private void prioritize(Context ctx) {
    PriorityChange change = reader.one(ctx, PriorityChange.class);
    ActionRequest request =
        new ActionRequest(Verb.PRIORITY, change.priority(), actor(ctx), change.reason());
    Requests.answer(ctx, ledger.act(id(ctx), request));
  }

  private void explain(Context ctx) {
    Requests.answer(ctx, explanations.of(id(ctx)));
  }

  private void await(Context ctx) {
    long id = id(ctx);
    Duration timeout = Requests.duration(ctx, "timeout", USUAL_WAIT, LONGEST_WAIT);
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> queries.change(id),
                    () -> queries.view(id),
                    job -> job.state().ended(),
                    timeout)
                .thenAccept(job -> Requests.answer(ctx, job)));
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }

  private static long id(Context ctx) {
    return Requests.pathNumber(ctx, "id");
  }

  /** Reads the filter of a list from a request's query. */
  private static final class JobFilters {
    private static final int USUAL_LIMIT = 100;

    private JobFilters() {}

    /** The search with the terms that other parameters add. */
    static JobFilter of(Context ctx) {
      String search = ctx.queryParam("search");
      List<SearchTerm> further = new ArrayList<>();
      for (String key : List.of("state", "kind", "array")) {
        String value = ctx.queryParam(key);
        if (value != null && !value.isEmpty()) {
          further.add(SearchTerm.of(key, value));
        }
      }
      for (String key : List.of("queue", "name")) {
        String value = ctx.queryParam(key);
        if (value != null && !value.isEmpty()) {
          further.add(SearchTerm.exactly(key, value));
        }
      }
      long before = Requests.number(ctx, "before", 0, 0, Long.MAX_VALUE);
      return new JobFilter(
          SearchParser.parse(search == null ? "" : search, further),
          before == 0 ? null : before,
          (int) Requests.number(ctx, "limit", USUAL_LIMIT, 1, JobFilter.MAX));
    }
  }

  /**
   * The body of a change of one job's priority.
   *
   * @param priority the new priority; null is refused
   * @param reason human-readable, kept in the job's history; null for none
   */
  private record PriorityChange(Integer priority, String reason) {}
}
