package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.WorkflowEvent.WorkflowHistory;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.workflow.WorkflowModule;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;
import java.util.Locale;

/** Running steps of workflows again, declaring how they ended, and putting runs away (J-17). */
public final class WorkflowStateRoutes {
  /** What happens to steps that run. */
  static final RequestParameter<ResumeMode> RESUME =
      RequestParameter.value(
          "resume",
          "how a running workflow is resumed: hot leaves the steps that run, cold ends them first",
          "hot or cold",
          text -> ResumeMode.valueOf(text.strip().toUpperCase(Locale.ROOT)));

  private static final RequestParameter<Long> ID =
      RequestParameter.pathNumber("id", "the workflow's number", 1);
  private static final RequestParameter<Boolean> DEPENDENTS =
      RequestParameter.flag("dependents", "set all steps below the failed ones back as well");

  private final WorkflowModule workflows;
  private final BodyReader reader = BodyReader.strict();

  public WorkflowStateRoutes(WorkflowModule workflows) {
    this.workflows = workflows;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/v1/workflows/{id}/retry", Role.operators(), this::retry)
            .described(
                named("retryWorkflow", "Runs failed and cancelled steps again")
                    .reads(ID, RESUME, DEPENDENTS)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.post("/v1/workflows/{id}/reset", Role.operators(), this::reset)
            .described(
                named("resetSteps", "Lets steps that have ended wait and run again")
                    .reads(ID)
                    .takes(StepReset.class)
                    .answers(WorkflowView.class)
                    .refuses(
                        ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.UNKNOWN_STEP, ErrorCode.CONFLICT)),
        Route.post("/v1/workflows/{id}/set-status", Role.operators(), this::setStatus)
            .described(
                named("setStatus", "Declares how steps, or a whole run, ended")
                    .reads(ID)
                    .takes(StatusChange.class)
                    .answers(WorkflowView.class)
                    .refuses(
                        ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.UNKNOWN_STEP, ErrorCode.CONFLICT)),
        Route.post("/v1/workflows/{id}/archive", Role.operators(), ctx -> archive(ctx, true))
            .described(
                named("archiveWorkflow", "Lets lists not show an ended workflow any more")
                    .reads(ID)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.post("/v1/workflows/{id}/unarchive", Role.operators(), ctx -> archive(ctx, false))
            .described(
                named("unarchiveWorkflow", "Lets lists show an archived workflow again")
                    .reads(ID)
                    .answers(WorkflowView.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.get("/v1/workflows/{id}/history", Role.readers(), this::history)
            .described(
                named("showWorkflowHistory", "What operators did to a workflow, oldest first")
                    .reads(ID)
                    .answers(WorkflowHistory.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW)));
  }

  private void retry(Context ctx) {
    Requests.answer(
        ctx,
        workflows
            .resumption()
            .retry(
                id(ctx), Requests.value(ctx, RESUME), Requests.value(ctx, DEPENDENTS), actor(ctx)));
  }

  private void reset(Context ctx) {
    Requests.answer(
        ctx, workflows.resumption().reset(id(ctx), reader.one(ctx, StepReset.class), actor(ctx)));
  }

  private void setStatus(Context ctx) {
    Requests.answer(
        ctx, workflows.status().set(id(ctx), reader.one(ctx, StatusChange.class), actor(ctx)));
  }

  private void archive(Context ctx, boolean archived) {
    Requests.answer(ctx, workflows.status().archive(id(ctx), archived, actor(ctx)));
  }

  private void history(Context ctx) {
    Requests.answer(ctx, workflows.views().history(id(ctx)));
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }

  private static long id(Context ctx) {
    return Requests.value(ctx, ID);
  }
}
