package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.workflow.StepChunk;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.WorkflowLimit;
import io.millrace.api.workflow.WorkflowResources;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.api.workflow.WorkflowView.WorkflowPage;
import io.millrace.manager.workflow.ResourceQueries;
import io.millrace.manager.workflow.StepQueries;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import io.millrace.manager.workflow.WorkflowBinding;
import io.millrace.manager.workflow.WorkflowBinding.BegunWorkflow;
import io.millrace.manager.workflow.WorkflowControl;
import io.millrace.manager.workflow.WorkflowViews;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Submitting, watching and changing workflows. */
public final class WorkflowRoutes {
  private static final int USUAL_LIMIT = 100;
  private static final int MAX_LIMIT = 1000;
  private static final RequestParameter<Long> ID =
      RequestParameter.pathNumber("id", "the workflow's number", 1);
  private static final RequestParameter<String> IDEMPOTENCY_KEY =
      RequestParameter.header(
          "Idempotency-Key",
          "any text: what is sent again under it begins or resumes the workflow once");
  private static final RequestParameter<String> STATE =
      RequestParameter.text("state", "states, separated by commas");
  private static final RequestParameter<String> NAME =
      RequestParameter.text("name", "workflows of exactly this name");
  private static final RequestParameter<Boolean> ARCHIVED =
      RequestParameter.flag("archived", "archived workflows instead of the others");
  private static final RequestParameter<Long> BEFORE =
      RequestParameter.optionalNumber(
          "before", "the value next of the previous page", 0, Long.MAX_VALUE);
  private static final RequestParameter<Long> LIMIT =
      CommonParameters.limit(USUAL_LIMIT, MAX_LIMIT);

  private static final RequestParameter<String> TEMPLATE =
      RequestParameter.text("template", "steps of this template");
  private static final RequestParameter<String> RESOURCES_OF =
      RequestParameter.text("template", "only this template");
  private static final RequestParameter<String> RESUMED =
      RequestParameter.text("template", "only this template, which is paused as its steps fail");
  private static final RequestParameter<String> STEP_STATE =
      RequestParameter.text("state", "steps in this state");
  private static final RequestParameter<Long> AFTER =
      RequestParameter.optionalNumber(
          "after", "the value next of the previous page", 0, WorkflowSpec.MAX_STEPS);
  private static final RequestParameter<Long> STEPS =
      CommonParameters.limit(USUAL_LIMIT, StepQueries.MAX);
  private static final RequestParameter<String> STEP =
      RequestParameter.pathText(
          "step",
          "the step's number, the name of a listed step, or template[value,...] of a step that"
              + " lists make");

  private final WorkflowBinding binding;
  private final WorkflowControl control;
  private final WorkflowViews views;
  private final StepQueries steps;
  private final ResourceQueries resources;
  private final LongPoll longPoll;
  private final BodyReader reader = BodyReader.strict();

  public WorkflowRoutes(
      WorkflowBinding binding,
      WorkflowControl control,
      WorkflowViews views,
      StepQueries steps,
      ResourceQueries resources,
      LongPoll longPoll) {
    this.binding = binding;
    this.control = control;
    this.views = views;
    this.steps = steps;
    this.resources = resources;
    this.longPoll = longPoll;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/workflows", Role.operators(), this::begin)
            .described(
                named("beginWorkflow", "Begins the submission of a workflow, or continues it")
                    .reads(WorkflowStateRoutes.RESUME, IDEMPOTENCY_KEY)
                    .takes(WorkflowSubmission.class)
                    .answers(201, WorkflowView.class)
                    .answers(WorkflowView.class)
                    .with("Location", "the path of the workflow")
                    .refuses(
                        ErrorCode.CONFLICT, ErrorCode.INVALID_DEFINITION, ErrorCode.INFEASIBLE)),
        Route.post("/v1/workflows/{id}/steps", Role.operators(), this::add)
            .described(
                named("addSteps", "Stores the next listed steps of a workflow")
                    .reads(ID)
                    .takes(StepChunk.class)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.post("/v1/workflows/{id}/commit", Role.operators(), this::commit)
            .described(
                named("commitWorkflow", "Ends the submission: the graph is checked, then it runs")
                    .reads(ID)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.get("/v1/workflows", Role.readers(), this::list)
            .described(
                named("listWorkflows", "Lists workflows, newest first")
                    .reads(STATE, NAME, ARCHIVED, BEFORE, LIMIT)
                    .answers(WorkflowPage.class)),
        Route.get("/v1/workflows/{id}", Role.readers(), this::show)
            .described(
                named("showWorkflow", "A workflow with the progress of its templates")
                    .reads(ID)
                    .answers(WorkflowDetails.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW)),
        Route.get("/v1/workflows/{id}/wait", Role.readers(), this::await)
            .described(
                named("awaitWorkflow", "Answers when the workflow ends, or after the timeout")
                    .reads(ID, CommonParameters.END_TIMEOUT)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW)),
        Route.get("/v1/workflows/{id}/steps", Role.readers(), this::steps)
            .described(
                named("listSteps", "Lists steps of a workflow, by rising number")
                    .reads(ID, TEMPLATE, STEP_STATE, AFTER, STEPS)
                    .answers(StepPage.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.UNKNOWN_STEP)),
        Route.get("/v1/workflows/{id}/steps/{step}", Role.readers(), this::step)
            .described(
                named("showStep", "A step with its job, and why it has not started")
                    .reads(ID, STEP)
                    .answers(StepDetails.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.UNKNOWN_STEP)),
        Route.get("/v1/workflows/{id}/resources", Role.readers(), this::resources)
            .described(
                named("showWorkflowResources", "What steps asked for and used, by template")
                    .reads(ID, RESOURCES_OF)
                    .answers(WorkflowResources.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW)),
        action("cancel", "cancelWorkflow", "Cancels a workflow", this::cancel),
        action("pause", "pauseWorkflow", "Lets no further steps start", this::pause),
        Route.post("/v1/workflows/{id}/resume", Role.operators(), this::resume)
            .described(
                named("resumeWorkflow", "Lets steps of a paused one start again")
                    .reads(ID, RESUMED)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.post("/v1/workflows/{id}/limit", Role.operators(), this::limit)
            .described(
                named("limitWorkflow", "Limits how many steps run at the same time")
                    .reads(ID)
                    .takes(WorkflowLimit.class)
                    .answers(WorkflowDetails.class)
                    .refuses(
                        ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.UNKNOWN_STEP, ErrorCode.CONFLICT)),
        Route.delete("/v1/workflows/{id}", Role.operators(), this::delete)
            .described(
                named("deleteWorkflow", "Deletes a workflow that has ended or is being submitted")
                    .reads(ID)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)));
  }

  private static Route action(
      String word, String id, String summary, io.javalin.http.Handler handler) {
    return Route.post("/v1/workflows/{id}/" + word, Role.operators(), handler)
        .described(
            named(id, summary)
                .reads(ID)
                .answers(WorkflowView.class)
                .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT));
  }

  private void begin(Context ctx) {
    BegunWorkflow begun =
        binding.begin(
            actor(ctx),
            reader.one(ctx, WorkflowSubmission.class),
            Requests.value(ctx, WorkflowStateRoutes.RESUME),
            Requests.value(ctx, IDEMPOTENCY_KEY));
    ctx.status(begun.created() ? 201 : 200)
        .header("Location", "/v1/workflows/" + begun.view().id());
    Requests.answer(ctx, begun.view());
  }

  private void add(Context ctx) {
    Requests.answer(ctx, binding.add(id(ctx), reader.one(ctx, StepChunk.class)));
  }

  private void commit(Context ctx) {
    Requests.answer(ctx, binding.commit(id(ctx)));
  }

  private void list(Context ctx) {
    Requests.answer(
        ctx,
        views.list(
            states(Requests.value(ctx, STATE)),
            Requests.value(ctx, NAME),
            Requests.value(ctx, ARCHIVED),
            Requests.value(ctx, BEFORE),
            (int) (long) Requests.value(ctx, LIMIT)));
  }

  private static Set<WorkflowState> states(String text) {
    Set<WorkflowState> states = EnumSet.noneOf(WorkflowState.class);
    if (text != null && !text.isBlank()) {
      for (String word : text.split(",", -1)) {
        states.add(word(STATE, word, WorkflowState.values()));
      }
    }
    return states;
  }

  /** The value with that name, in whatever case; null for none. */
  private static <E extends Enum<E>> E word(
      RequestParameter<String> parameter, String word, E[] values) {
    if (word == null || word.isBlank()) {
      return null;
    }
    return Arrays.stream(values)
        .filter(value -> value.name().equalsIgnoreCase(word.strip()))
        .findFirst()
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.INVALID_REQUEST,
                    "%s: '%s' is none of %s"
                        .formatted(parameter.name(), ShownText.of(word), Arrays.toString(values))));
  }

  private void show(Context ctx) {
    Requests.answer(ctx, views.details(id(ctx)));
  }

  private void await(Context ctx) {
    long id = id(ctx);
    Duration timeout = Requests.value(ctx, CommonParameters.END_TIMEOUT);
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> views.change(id),
                    () -> views.view(id),
                    workflow -> workflow.state().ended(),
                    timeout)
                .thenAccept(workflow -> Requests.answer(ctx, workflow)));
  }

  private void steps(Context ctx) {
    Long after = Requests.value(ctx, AFTER);
    StepFilter filter =
        new StepFilter(
            Requests.value(ctx, TEMPLATE),
            word(STEP_STATE, Requests.value(ctx, STEP_STATE), WorkflowStepState.values()),
            after == null ? -1 : (int) (long) after,
            (int) (long) Requests.value(ctx, STEPS));
    Requests.answer(ctx, steps.list(id(ctx), filter));
  }

  private void step(Context ctx) {
    MaskedAnswers.answer(ctx, steps.details(id(ctx), Requests.value(ctx, STEP)));
  }

  private void resources(Context ctx) {
    Requests.answer(ctx, resources.of(id(ctx), Requests.value(ctx, RESOURCES_OF)));
  }

  private void cancel(Context ctx) {
    Requests.answer(ctx, control.cancel(id(ctx), actor(ctx)));
  }

  private void pause(Context ctx) {
    Requests.answer(ctx, control.pause(id(ctx), true, actor(ctx)));
  }

  private void resume(Context ctx) {
    String template = Requests.value(ctx, RESUMED);
    Requests.answer(
        ctx,
        template == null
            ? control.pause(id(ctx), false, actor(ctx))
            : control.resumeTemplate(id(ctx), template, actor(ctx)));
  }

  private void limit(Context ctx) {
    WorkflowLimit limit = reader.one(ctx, WorkflowLimit.class);
    control.limit(id(ctx), limit.template(), limit.maxRunning(), actor(ctx));
    // With the templates, which have limits of their own.
    Requests.answer(ctx, views.details(id(ctx)));
  }

  private void delete(Context ctx) {
    control.delete(id(ctx));
    ctx.status(204);
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }

  private static long id(Context ctx) {
    return Requests.value(ctx, ID);
  }
}
