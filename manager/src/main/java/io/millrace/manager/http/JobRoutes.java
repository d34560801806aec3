package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.manager.insight.JobExplanations;
import io.millrace.manager.job.BulkActions;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.JobSearch;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.SearchParser;
import io.millrace.manager.job.SearchParser.SearchTerm;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Submitting, listing, explaining and changing jobs. */
public final class JobRoutes {
  private static final RequestParameter<Long> ID =
      RequestParameter.pathNumber("id", "the job's number", 1);
  private static final RequestParameter<String> IDEMPOTENCY_KEY =
      RequestParameter.header(
          "Idempotency-Key", "any text: what is sent again under it is submitted once");

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
    List<Route> routes = new ArrayList<>(submissions());
    routes.addAll(lookups());
    routes.addAll(actions());
    return List.copyOf(routes);
  }

  private List<Route> submissions() {
    return List.of(
        Route.post("/v1/jobs", Role.operators(), this::submit)
            .described(
                named("submitJob", "Submits a job, or an array of jobs")
                    .reads(IDEMPOTENCY_KEY)
                    .takes(JobSpec.class)
                    .answers(201, JobView.class)
                    .with("Location", "the path of the job")
                    .refuses(ErrorCode.CONFLICT, ErrorCode.UNKNOWN_JOB)),
        Route.post("/v1/jobs/batch", Role.operators(), this::submitMany)
            .described(
                named("submitJobs", "Submits a list of jobs in one transaction, all or none")
                    .takesListOf(JobSpec.class)
                    .answersListOf(201, Long.class)
                    .refuses(ErrorCode.CONFLICT, ErrorCode.UNKNOWN_JOB)),
        Route.post("/v1/jobs/actions", Role.operators(), this::actOnMany)
            .described(
                named("actOnJobs", "Changes or deletes jobs given by ids or found by a search")
                    .takes(JobAction.class)
                    .answers(JobActionAnswer.class)));
  }

  private List<Route> lookups() {
    return List.of(
        Route.get("/v1/jobs", Role.readers(), this::list)
            .described(
                named("listJobs", "Lists jobs, newest first")
                    .reads(JobFilters.SEARCH, JobFilters.BEFORE, JobFilters.LIMIT)
                    .reads(JobFilters.TERMS.toArray(RequestParameter<?>[]::new))
                    .reads(JobFilters.EXACT.toArray(RequestParameter<?>[]::new))
                    .answers(JobPage.class)),
        Route.get("/v1/jobs/failures", Role.readers(), this::failures)
            .described(
                named("listFailures", "Failed jobs of a search, grouped by cause")
                    .reads(JobFilters.SEARCH)
                    .reads(JobFilters.TERMS.toArray(RequestParameter<?>[]::new))
                    .reads(JobFilters.EXACT.toArray(RequestParameter<?>[]::new))
                    .answers(FailureGroups.class)),
        Route.get("/v1/jobs/{id}", Role.readers(), this::details)
            .described(
                named("showJob", "A job with its attempts and history")
                    .reads(ID)
                    .answers(JobDetails.class)
                    .refuses(ErrorCode.UNKNOWN_JOB)),
        Route.get("/v1/jobs/{id}/wait", Role.readers(), this::await)
            .described(
                named("awaitJob", "Answers when the job ends, or after the timeout")
                    .reads(ID, CommonParameters.END_TIMEOUT)
                    .answers(JobView.class)
                    .refuses(ErrorCode.UNKNOWN_JOB)),
        Route.get("/v1/jobs/{id}/explanation", Role.readers(), this::explain)
            .described(
                named("explainJob", "Why a job is waiting, and the verdict of each node")
                    .reads(ID)
                    .answers(JobExplanation.class)
                    .refuses(ErrorCode.UNKNOWN_JOB)));
  }

  private List<Route> actions() {
    return List.of(
        action("cancel", "cancelJob", "Cancels a job", Verb.CANCEL),
        action("retry", "retryJob", "Retries a failed or cancelled job", Verb.RETRY),
        action("hold", "holdJob", "Keeps a job waiting until it is released", Verb.HOLD),
        action("release", "releaseJob", "Releases a held job", Verb.RELEASE),
        Route.post("/v1/jobs/{id}/priority", Role.operators(), this::prioritize)
            .described(
                named("prioritizeJob", "Changes the priority of a job")
                    .reads(ID)
                    .takes(PriorityChange.class)
                    .answers(JobView.class)
                    .refuses(ErrorCode.UNKNOWN_JOB, ErrorCode.CONFLICT)));
  }

  private Route action(String word, String id, String summary, Verb verb) {
    return Route.post("/v1/jobs/{id}/" + word, Role.operators(), ctx -> act(ctx, verb))
        .described(
            named(id, summary)
                .reads(ID)
                .answers(JobView.class)
                .refuses(ErrorCode.UNKNOWN_JOB, ErrorCode.CONFLICT));
  }

  private void submit(Context ctx) {
    JobSpec spec = reader.one(ctx, JobSpec.class);
    String key = Requests.value(ctx, IDEMPOTENCY_KEY);
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

  private void failures(Context ctx) {
    Requests.answer(ctx, queries.failures(JobFilters.ofFailed(ctx)));
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
    Duration timeout = Requests.value(ctx, CommonParameters.END_TIMEOUT);
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
    return Requests.value(ctx, ID);
  }

  /** Reads the filter of a list from a request's query. */
  private static final class JobFilters {
    private static final int USUAL_LIMIT = 100;
    private static final RequestParameter<String> SEARCH =
        RequestParameter.text(
            "search", "terms such as state:failed name:foo*, which must all match");
    private static final RequestParameter<Long> BEFORE =
        RequestParameter.optionalNumber(
            "before", "the value next of the previous page", 0, Long.MAX_VALUE);
    private static final RequestParameter<Long> LIMIT =
        CommonParameters.limit(USUAL_LIMIT, JobFilter.MAX);

    /** Further terms of the search, in its language. */
    private static final List<RequestParameter<String>> TERMS =
        List.of(
            RequestParameter.text("state", "states, separated by commas"),
            RequestParameter.text("kind", "submitted, worker, manager or all"),
            RequestParameter.text("array", "elements of the array with this number"));

    private static final List<RequestParameter<String>> EXACT =
        List.of(
            RequestParameter.text("queue", "jobs of this queue"),
            RequestParameter.text("name", "jobs of exactly this name"));

    private JobFilters() {}

    /** The search with the terms that other parameters add. */
    static JobFilter of(Context ctx) {
      Long before = Requests.value(ctx, BEFORE);
      return new JobFilter(
          search(ctx),
          before == null || before == 0 ? null : before,
          (int) (long) Requests.value(ctx, LIMIT));
    }

    /** The search, limited to failed jobs. */
    static JobSearch ofFailed(Context ctx) {
      return search(ctx).failed();
    }

    private static JobSearch search(Context ctx) {
      String search = Requests.value(ctx, SEARCH);
      List<SearchTerm> further = new ArrayList<>();
      for (RequestParameter<String> key : TERMS) {
        String value = Requests.value(ctx, key);
        if (value != null) {
          further.add(SearchTerm.of(key.name(), value));
        }
      }
      for (RequestParameter<String> key : EXACT) {
        String value = Requests.value(ctx, key);
        if (value != null) {
          further.add(SearchTerm.exactly(key.name(), value));
        }
      }
      return SearchParser.parse(search == null ? "" : search, further);
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
