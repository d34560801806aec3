package io.millrace.manager.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.task.ScheduleDao.ScheduleRow;
import io.millrace.manager.workflow.WorkflowBinding;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty.Duty;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the runs of tasks that have a workflow: submits it with the planned time as its run
 * key, in pieces of one transaction each, follows it, and ends the run with it. What a run has
 * submitted is in the database, so that whoever holds the duty continues, and a run submits one
 * workflow. Blocks on the database; used by the duty's thread.
 */
public final class WorkflowRuns implements Duty {
  private static final Logger LOGGER = LoggerFactory.getLogger(WorkflowRuns.class);
  private static final int MAX_RUNS = 1000;
  // Of one run in a row, then others have their turn.
  private static final int MAX_PIECES = 50;
  private static final Set<ErrorCode> WRONG =
      EnumSet.of(
          ErrorCode.INVALID_DEFINITION,
          ErrorCode.INVALID_REQUEST,
          ErrorCode.INFEASIBLE,
          ErrorCode.CONFLICT);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final TaskDefinitions definitions;
  private final RunLifecycle lifecycle;
  private final RunWorkflows workflows;
  private final WorkflowBinding binding;
  private final int pageRuns;
  // Used by the duty's thread.
  private Prepared prepared;
  private long after;

  /** The graph of the run that was looked at last. */
  private record Prepared(long run, WorkflowGraph graph) {}

  public WorkflowRuns(
      Database database,
      ClaimDao claims,
      TaskDefinitions definitions,
      RunLifecycle lifecycle,
      RunWorkflows workflows,
      WorkflowBinding binding) {
    this(database, claims, definitions, lifecycle, workflows, binding, MAX_RUNS);
  }

  /**
   * One that looks at so many runs in a row.
   *
   * @param pageRuns at least 1
   */
  WorkflowRuns(
      Database database,
      ClaimDao claims,
      TaskDefinitions definitions,
      RunLifecycle lifecycle,
      RunWorkflows workflows,
      WorkflowBinding binding,
      int pageRuns) {
    this.pageRuns = pageRuns;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.definitions = definitions;
    this.lifecycle = lifecycle;
    this.workflows = workflows;
    this.binding = binding;
  }

  @Override
  public void run(Claim claim) {
    boolean more = true;
    while (more) {
      List<RunRow> page = database.read(handle -> RunDao.unmanaged(handle, after, pageRuns));
      more = false;
      for (RunRow run : page) {
        more |= pieces(claim, run);
      }
      // Those beyond a page have their turn next, and then the first ones again.
      after = page.size() < pageRuns ? 0 : page.get(page.size() - 1).id();
    }
    prepared = null;
  }

  private boolean pieces(Claim claim, RunRow run) {
    try {
      for (int i = 0; i < MAX_PIECES; i++) {
        if (!piece(claim, run.id())) {
          return false;
        }
      }
      return true;
    } catch (MillraceException e) {
      // Its message says what is wrong, and it may come again in every round.
      LOGGER.warn("run {} of task {} does not go on: {}", run.id(), run.task(), e.getMessage());
      return false;
    } catch (RuntimeException e) {
      // One that cannot go on does not block others; it is tried again.
      LOGGER.warn("run {} of task {} does not go on", run.id(), run.task(), e);
      return false;
    }
  }

  /** One transaction of a run; returns whether another may follow at once. */
  boolean piece(Claim claim, long id) {
    Optional<RunRow> found = database.read(handle -> RunDao.find(handle, id));
    if (found.isEmpty() || !mayGoOn(found.get())) {
      return false;
    }
    RunRow run = found.get();
    try {
      return piece(claim, run);
    } catch (MillraceException e) {
      if (!WRONG.contains(e.code())) {
        throw e;
      }
      end(
          claim,
          run,
          RunState.FAILED,
          "its workflow is refused: " + e.getMessage().replace("\n", "; "));
      return false;
    }
  }

  private boolean piece(Claim claim, RunRow run) {
    Optional<Long> workflow = database.read(handle -> RunWorkflowDao.find(handle, run.id()));
    if (workflow.isEmpty()) {
      return begin(claim, run, graph(run));
    }
    Optional<WorkflowView> view = database.read(handle -> workflows.of(handle, run));
    if (view.isEmpty()) {
      end(claim, run, RunState.FAILED, "workflow " + workflow.get() + " was deleted");
      return false;
    }
    if (view.get().state() == WorkflowState.BINDING) {
      bind(view.get(), graph(run));
      return true;
    }
    if (view.get().state().ended()) {
      end(claim, run, state(view.get()), reason(view.get()));
    }
    return false;
  }

  // What is to be stopped is ended by the duty that looks at all runs.
  private static boolean mayGoOn(RunRow run) {
    return run.state() == RunState.RUNNING && run.managerJob() == null && run.stopAs() == null;
  }

  private boolean begin(Claim claim, RunRow seen, WorkflowGraph graph) {
    return locked(
        claim,
        seen,
        (handle, schedule, run) -> {
          if (RunWorkflowDao.find(handle, run.id()).isPresent()) {
            return true;
          }
          long workflow =
              binding
                  .beginOrAdopt(
                      handle,
                      TaskSpecs.owner(run.task()),
                      graph.submission(run.plannedAt().toString()))
                  .view()
                  .id();
          RunWorkflowDao.insert(handle, run.id(), workflow);
          return true;
        });
  }

  private void bind(WorkflowView workflow, WorkflowGraph graph) {
    int bound = workflow.progress().bound();
    if (bound < graph.listedSteps()) {
      binding.add(workflow.id(), graph.chunk(bound));
    } else {
      binding.commit(workflow.id());
    }
  }

  private static RunState state(WorkflowView workflow) {
    return switch (workflow.state()) {
      case SUCCEEDED -> RunState.SUCCEEDED;
      case CANCELLED -> RunState.STOPPED;
      default -> RunState.FAILED;
    };
  }

  private static String reason(WorkflowView workflow) {
    String why = workflow.reason() == null ? "" : ": " + workflow.reason();
    return switch (workflow.state()) {
      case SUCCEEDED -> null;
      case CANCELLED -> "workflow %d was cancelled%s".formatted(workflow.id(), why);
      case REFUSED -> "workflow %d is refused%s".formatted(workflow.id(), why);
      default -> "workflow %d failed%s".formatted(workflow.id(), why);
    };
  }

  private void end(Claim claim, RunRow seen, RunState state, String reason) {
    locked(
        claim,
        seen,
        (handle, schedule, run) -> {
          // One that is refused in the middle of its submission is not continued.
          workflows.cancel(handle, run, reason);
          lifecycle.end(handle, schedule, run, state, reason, time.now(handle));
          return false;
        });
  }

  /** A part of a run's work. */
  @FunctionalInterface
  private interface RunPart {
    boolean carryOut(Handle handle, ScheduleRow schedule, RunRow run);
  }

  private boolean locked(Claim claim, RunRow seen, RunPart part) {
    return database.transaction(
        handle -> {
          if (!claims.lock(handle, claim)) {
            return false;
          }
          Optional<ScheduleRow> schedule = ScheduleDao.lock(handle, seen.task());
          Optional<RunRow> run = RunDao.lock(handle, seen.id());
          return schedule.isPresent()
              && run.filter(WorkflowRuns::mayGoOn).isPresent()
              && part.carryOut(handle, schedule.get(), run.get());
        });
  }

  private WorkflowGraph graph(RunRow run) {
    if (prepared == null || prepared.run() != run.id()) {
      prepared = new Prepared(run.id(), prepare(run));
    }
    return prepared.graph();
  }

  private WorkflowGraph prepare(RunRow run) {
    TaskDefinition task = definitions.version(run.task(), run.version()).definition();
    Map<String, String> env =
        run.cause() == RunCause.MANUAL
            ? database
                .read(handle -> RunParameterDao.find(handle, run.id()))
                .map(RunParameters::env)
                .orElse(Map.of())
            : Map.of();
    List<GraphProblem> problems = new ArrayList<>();
    WorkflowGraph graph = PlannedWorkflow.of(task, run, env).graph(problems);
    if (!problems.isEmpty()) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, problems.get(0).toString());
    }
    return graph;
  }
}
