package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CallRepetition.Pause;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.CriticalPath.PathLevel;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepNeeds;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.StepTimeline;
import io.millrace.api.workflow.StepUsage;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.TemplateGraph;
import io.millrace.api.workflow.WorkflowEvent.WorkflowHistory;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowLimit;
import io.millrace.api.workflow.WorkflowResources;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.api.workflow.WorkflowView.WorkflowPage;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The central managers' API of workflows (J-18, J-19), typed. Every method blocks, and throws a
 * {@link MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class WorkflowClient {
  // Large graphs and first calls of a database take some time.
  private static final Duration SUBMITTED_WITHIN = Duration.ofMinutes(2);
  private static final Duration FIRST_LOOK = Duration.ofMillis(50);
  private static final Duration LAST_LOOK = Duration.ofSeconds(2);

  // No repetition of the same steps changes these.
  private static final Set<ErrorCode> REFUSED_FOR_GOOD =
      EnumSet.of(
          ErrorCode.INVALID_REQUEST,
          ErrorCode.INVALID_DEFINITION,
          ErrorCode.MALFORMED_BODY,
          ErrorCode.BODY_TOO_LARGE);

  private final ApiClient api;
  private final Pause pause;

  public WorkflowClient(ApiClient api) {
    this(api, Pause.OF_THREAD);
  }

  /** A client that waits between its calls as it is told. */
  public WorkflowClient(ApiClient api, Pause pause) {
    this.api = api;
    this.pause = pause;
  }

  /**
   * Submits a workflow and waits until its graph has been checked. Sends the listed steps that the
   * server does not have yet, so that a submission that was interrupted continues, here or in
   * another process, when it is repeated. Calls that no server can answer are repeated for {@link
   * CallRepetition#PATIENCE}; if no server can be reached at first, it fails at once. If the server
   * refuses steps of a workflow that this submission created, the workflow is cancelled.
   *
   * @param runKey distinguishes runs of the same graph, such as a date; null for none
   * @return running, or refused with its reason; a workflow that exists already as it is; its
   *     outcome says what the submission did
   * @throws MillraceException INVALID_DEFINITION with all problems of the graph, before anything is
   *     sent; CONFLICT if it has succeeded already
   */
  public WorkflowView submit(WorkflowGraph graph, String runKey, SubmissionListener listener) {
    return submit(graph, runKey, null, listener);
  }

  /**
   * Submits a workflow as {@link #submit(WorkflowGraph, String, SubmissionListener)}; one that runs
   * is resumed with this definition.
   *
   * @param mode what happens to its steps that run; null if it is left as it is
   */
  public WorkflowView submit(
      WorkflowGraph graph, String runKey, ResumeMode mode, SubmissionListener listener) {
    WorkflowSubmission submission = graph.submission(runKey);
    CallRepetition repetition =
        new CallRepetition(pause, CallRepetition.PATIENCE, listener::unanswered);
    // A repetition does not end again what the first one has started.
    String key = UUID.randomUUID().toString();
    HttpCall opening =
        post("/v1/workflows" + resume(mode, ""), submission).with("Idempotency-Key", key);
    HttpAnswer opened = repetition.first(() -> api.send(opening));
    WorkflowView first = opened.as(WorkflowView.class);
    listener.opened(first, opened.status() == 201);
    WorkflowView bound = bind(graph, first, repetition, listener);
    return checked(bound, repetition).withOutcome(first.outcome());
  }

  private WorkflowView bind(
      WorkflowGraph graph,
      WorkflowView first,
      CallRepetition repetition,
      SubmissionListener listener) {
    WorkflowView view = first;
    try {
      while (view.state() == WorkflowState.BINDING) {
        view = bindNext(graph, view, repetition);
        listener.bound(view, graph.listedSteps());
      }
    } catch (MillraceException e) {
      if (REFUSED_FOR_GOOD.contains(e.code()) && first.outcome() == SubmissionOutcome.CREATED) {
        abandon(first.id(), e);
      }
      throw e;
    }
    return view;
  }

  /** Cancels a workflow whose steps are refused, so that it does not wait for them. */
  private void abandon(long workflow, MillraceException refusal) {
    try {
      cancel(workflow);
    } catch (MillraceException e) {
      // Central managers delete it some time later.
      refusal.addSuppressed(e);
    }
  }

  /** Sends the next chunk, or commits after the last one. */
  private WorkflowView bindNext(WorkflowGraph graph, WorkflowView view, CallRepetition repetition) {
    int bound = view.progress().bound();
    String uri = path("/v1/workflows/%s", view.id());
    Supplier<HttpAnswer> next =
        bound < graph.listedSteps()
            ? () -> posted(uri + "/steps", graph.chunk(bound))
            : () -> posted(uri + "/commit", null);
    MillraceException refusal = null;
    WorkflowView after;
    try {
      after = repetition.call(next).as(WorkflowView.class);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      // Another process may have bound the same step by step, or committed it.
      refusal = e;
      after = repetition.call(() -> await(view.id(), Duration.ZERO));
    }
    if (after.state() == WorkflowState.BINDING && after.progress().bound() == bound) {
      throw refusal != null
          ? refusal
          : new MillraceException(
              ErrorCode.CONFLICT,
              "workflow %d has still %d of %d steps after more were sent; submit it again"
                  .formatted(view.id(), bound, graph.listedSteps()));
    }
    return after;
  }

  private WorkflowView checked(WorkflowView committed, CallRepetition repetition) {
    WorkflowView view = committed;
    Duration look = FIRST_LOOK;
    while (view.state() == WorkflowState.CHECKING) {
      try {
        pause.pause(look);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "interrupted; workflow " + view.id() + " is being checked, and then runs",
            e);
      }
      look = look.multipliedBy(2).compareTo(LAST_LOOK) < 0 ? look.multipliedBy(2) : LAST_LOOK;
      view = repetition.call(() -> await(committed.id(), Duration.ZERO));
    }
    return view;
  }

  private HttpAnswer posted(String uri, Object body) {
    return api.send(post(uri, body));
  }

  private static HttpCall post(String uri, Object body) {
    return HttpCall.post(URI.create(uri), body).within(SUBMITTED_WITHIN);
  }

  /**
   * A page of workflows, newest first.
   *
   * @param state only those in this state; null for any
   * @param name only those of this name; null for any
   * @param before as the page before says; null for the newest
   */
  public WorkflowPage list(WorkflowState state, String name, Long before, int limit) {
    return list(state, name, false, before, limit);
  }

  /**
   * A page of workflows, as {@link #list(WorkflowState, String, Long, int)}, or of archived ones.
   */
  public WorkflowPage list(
      WorkflowState state, String name, boolean archived, Long before, int limit) {
    String uri = path("/v1/workflows?limit=%s", limit);
    uri += state == null ? "" : path("&state=%s", state.name().toLowerCase(Locale.ROOT));
    uri += name == null ? "" : path("&name=%s", name);
    uri += archived ? "&archived=true" : "";
    uri += before == null ? "" : path("&before=%s", before);
    return api.get(uri).as(WorkflowPage.class);
  }

  /** A workflow with its templates. */
  public WorkflowDetails show(long workflow) {
    return api.get(path("/v1/workflows/%s", workflow)).as(WorkflowDetails.class);
  }

  /**
   * What its steps asked for and used, the most wasteful template first.
   *
   * @param template only this one; null for all
   */
  public WorkflowResources resources(long workflow, String template) {
    String uri = path("/v1/workflows/%s/resources", workflow);
    uri += template == null ? "" : path("?template=%s", template);
    return api.get(uri).as(WorkflowResources.class);
  }

  /**
   * A page of steps, by rising number.
   *
   * @param template only those of this one; null for all
   * @param state only those in this state; null for any
   * @param after as the page before says; null for the first page
   */
  public StepPage steps(
      long workflow, String template, WorkflowStepState state, Integer after, int limit) {
    String uri = path("/v1/workflows/%s/steps?limit=%s", workflow, limit);
    uri += template == null ? "" : path("&template=%s", template);
    uri += state == null ? "" : path("&state=%s", state.name().toLowerCase(Locale.ROOT));
    uri += after == null ? "" : path("&after=%s", after);
    return api.get(uri).as(StepPage.class);
  }

  /**
   * A step with its job.
   *
   * @param step its number, the name of a listed one, or {@code template[value,…]}
   */
  public StepDetails step(long workflow, String step) {
    return api.get(path("/v1/workflows/%s/steps/%s", workflow, step)).as(StepDetails.class);
  }

  /** The templates with what they wait for; CONFLICT before the graph has been checked. */
  public TemplateGraph graph(long workflow) {
    return api.get(path("/v1/workflows/%s/graph", workflow)).as(TemplateGraph.class);
  }

  /**
   * The longest chain by measured run times.
   *
   * @param level of steps or templates; null for steps, of large workflows templates
   */
  public CriticalPath criticalPath(long workflow, PathLevel level) {
    String uri = path("/v1/workflows/%s/critical-path", workflow);
    uri += level == null ? "" : path("?level=%s", level.name().toLowerCase(Locale.ROOT));
    return api.get(uri).as(CriticalPath.class);
  }

  /** How many steps of each template ran when. */
  public StepTimeline timeline(long workflow) {
    return api.get(path("/v1/workflows/%s/timeline", workflow)).as(StepTimeline.class);
  }

  /** All steps with what they need; CONFLICT if there are many, or before the graph was checked. */
  public StepNeeds needs(long workflow) {
    return api.get(path("/v1/workflows/%s/needs", workflow)).as(StepNeeds.class);
  }

  /**
   * What some of the steps that succeeded used.
   *
   * @param template only this one; null for those of which most steps succeeded
   */
  public StepUsage usage(long workflow, String template) {
    String uri = path("/v1/workflows/%s/usage", workflow);
    uri += template == null ? "" : path("?template=%s", template);
    return api.get(uri).as(StepUsage.class);
  }

  /** The failed steps by their causes; items are numbers of steps. */
  public FailureGroups failures(long workflow) {
    return api.get(path("/v1/workflows/%s/errors", workflow)).as(FailureGroups.class);
  }

  /** Waits for the workflow to end, up to the given time; it may still be running in the answer. */
  public WorkflowView await(long workflow, Duration limit) {
    return new WaitPieces(api)
        .until(
            path("/v1/workflows/%s/wait", workflow),
            WorkflowView.class,
            view -> view.state().ended(),
            limit);
  }

  /** Cancels it with all its steps; a cancelled one can be retried. */
  public WorkflowView cancel(long workflow) {
    return act(workflow, "cancel", null);
  }

  /** No further steps start until it is resumed; those that run continue. */
  public WorkflowView pause(long workflow) {
    return act(workflow, "pause", null);
  }

  /** Ends a pause; the outcome is UNCHANGED if it was not paused. */
  public WorkflowView resume(long workflow) {
    return act(workflow, "resume", null);
  }

  /**
   * Ends the pause of a template whose steps failed, of which some are tried; null for the whole.
   * The outcome is UNCHANGED if it was not paused, or if some are tried already.
   */
  public WorkflowView resume(long workflow, String template) {
    String uri = path("/v1/workflows/%s/resume", workflow);
    uri += template == null ? "" : path("?template=%s", template);
    return api.post(uri, null).as(WorkflowView.class);
  }

  /** Changes how many steps run at the same time; answers with all limits. */
  public WorkflowDetails limit(long workflow, WorkflowLimit limit) {
    return api.post(path("/v1/workflows/%s/limit", workflow), limit).as(WorkflowDetails.class);
  }

  /** Runs the failed and cancelled steps of one that failed or was cancelled again. */
  public WorkflowView retry(long workflow) {
    return retry(workflow, null, false);
  }

  /**
   * Runs failed and cancelled steps again.
   *
   * @param mode what happens to steps that run; null if none may: CONFLICT while it runs
   * @param dependents whether all steps below them are set back as well
   */
  public WorkflowView retry(long workflow, ResumeMode mode, boolean dependents) {
    return act(workflow, "retry" + resume(mode, dependents ? "dependents=true" : ""), null);
  }

  private static String resume(ResumeMode mode, String more) {
    String query = mode == null ? more : "resume=" + mode.name().toLowerCase(Locale.ROOT);
    if (mode != null && !more.isEmpty()) {
      query += "&" + more;
    }
    return query.isEmpty() ? "" : "?" + query;
  }

  /**
   * Lets steps that have ended wait and run again, piece by piece; {@link #show} says whether it is
   * still being carried out.
   *
   * @throws MillraceException UNKNOWN_STEP; CONFLICT if one of them runs and the request is not
   *     cold
   */
  public WorkflowView reset(long workflow, StepReset reset) {
    return act(workflow, "reset", reset);
  }

  /** Declares how steps, or an ended run, ended; CONFLICT if they have not ended. */
  public WorkflowView setStatus(long workflow, StatusChange change) {
    return act(workflow, "set-status", change);
  }

  /** Lets lists not show an ended workflow any more. */
  public WorkflowView archive(long workflow) {
    return act(workflow, "archive", null);
  }

  /** Lets lists show an archived workflow again. */
  public WorkflowView unarchive(long workflow) {
    return act(workflow, "unarchive", null);
  }

  /** What operators did to it, oldest first. */
  public WorkflowHistory history(long workflow) {
    return api.get(path("/v1/workflows/%s/history", workflow)).as(WorkflowHistory.class);
  }

  private WorkflowView act(long workflow, String verb, Object body) {
    return api.post(path("/v1/workflows/%s/", workflow) + verb, body).as(WorkflowView.class);
  }

  /**
   * Deletes one that has ended, or is still being submitted, with all that is recorded of it.
   *
   * @throws MillraceException CONFLICT if it is in another state
   */
  public void delete(long workflow) {
    api.delete(path("/v1/workflows/%s", workflow));
  }

  /** Is told how a submission proceeds. */
  public interface SubmissionListener {
    /** Does nothing. */
    SubmissionListener NONE =
        new SubmissionListener() {
          @Override
          public void opened(WorkflowView workflow, boolean created) {}

          @Override
          public void bound(WorkflowView workflow, int listed) {}

          @Override
          public void unanswered(MillraceException failure, Duration pause) {}
        };

    /**
     * The server knows the workflow.
     *
     * @param workflow its outcome says what the submission did; null from an older server
     * @param created false if it existed already, so that it is continued, resumed or left as it is
     */
    void opened(WorkflowView workflow, boolean created);

    /**
     * The server has further steps, or all of them.
     *
     * @param listed how many steps are listed
     */
    void bound(WorkflowView workflow, int listed);

    /** No server could answer; the call is repeated after a pause. */
    void unanswered(MillraceException failure, Duration pause);
  }
}
