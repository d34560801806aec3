package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.CriticalPath.PathLevel;
import io.millrace.api.workflow.StepNeeds;
import io.millrace.api.workflow.StepTimeline;
import io.millrace.api.workflow.StepUsage;
import io.millrace.api.workflow.TemplateGraph;
import io.millrace.manager.workflow.WorkflowModule;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.util.List;
import java.util.Locale;

/** What is derived from the runs of workflows: graphs, causes of failures, critical paths. */
public final class WorkflowInsightRoutes {
  private static final RequestParameter<Long> ID =
      RequestParameter.pathNumber("id", "the workflow's number", 1);
  private static final RequestParameter<PathLevel> LEVEL =
      RequestParameter.value(
          "level",
          "a chain of steps or of templates; without it steps, of large workflows templates",
          "steps or templates",
          text -> PathLevel.valueOf(text.strip().toUpperCase(Locale.ROOT)));

  private static final RequestParameter<String> TEMPLATE =
      RequestParameter.text("template", "only this template");

  private final WorkflowModule workflows;

  public WorkflowInsightRoutes(WorkflowModule workflows) {
    this.workflows = workflows;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/v1/workflows/{id}/graph", Role.readers(), this::graph)
            .described(
                named("showGraph", "The templates of a workflow, and what they wait for")
                    .reads(ID)
                    .answers(TemplateGraph.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.get("/v1/workflows/{id}/errors", Role.readers(), this::failures)
            .described(
                named("groupFailedSteps", "Failed steps of a workflow, grouped by their cause")
                    .reads(ID)
                    .answers(FailureGroups.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW)),
        Route.get("/v1/workflows/{id}/critical-path", Role.readers(), this::criticalPath)
            .described(
                named("showCriticalPath", "The longest chain of a workflow by measured run times")
                    .reads(ID, LEVEL)
                    .answers(CriticalPath.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.get("/v1/workflows/{id}/timeline", Role.readers(), this::timeline)
            .described(
                named("showTimeline", "How many steps of each template ran when")
                    .reads(ID)
                    .answers(StepTimeline.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.get("/v1/workflows/{id}/needs", Role.readers(), this::needs)
            .described(
                named("showStepNeeds", "All steps of a workflow with what they need, if few")
                    .reads(ID)
                    .answers(StepNeeds.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW, ErrorCode.CONFLICT)),
        Route.get("/v1/workflows/{id}/usage", Role.readers(), this::usage)
            .described(
                named("sampleStepUsage", "What some steps asked for and used")
                    .reads(ID, TEMPLATE)
                    .answers(StepUsage.class)
                    .refuses(ErrorCode.UNKNOWN_WORKFLOW)));
  }

  private void graph(Context ctx) {
    Requests.answer(ctx, workflows.views().graph(id(ctx)));
  }

  private void failures(Context ctx) {
    Requests.answer(ctx, workflows.steps().failures(id(ctx)));
  }

  private void criticalPath(Context ctx) {
    Requests.answer(ctx, workflows.paths().of(id(ctx), Requests.value(ctx, LEVEL)));
  }

  private void timeline(Context ctx) {
    Requests.answer(ctx, workflows.timelines().of(id(ctx)));
  }

  private void needs(Context ctx) {
    Requests.answer(ctx, workflows.steps().needs(id(ctx)));
  }

  private void usage(Context ctx) {
    Requests.answer(ctx, workflows.usages().of(id(ctx), Requests.value(ctx, TEMPLATE)));
  }

  private static long id(Context ctx) {
    return Requests.value(ctx, ID);
  }
}
