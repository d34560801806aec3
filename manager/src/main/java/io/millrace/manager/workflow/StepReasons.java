package io.millrace.manager.workflow;

import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.job.ReleasedElements.ElementHold;
import io.millrace.manager.workflow.ListDao.ListRow;
import io.millrace.manager.workflow.StepQueries.KnownWorkflow;
import io.millrace.manager.workflow.StepSpecs.MissingValueException;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * Why steps of a workflow wait, and what their jobs do not say. One thread; blocks on the database.
 */
final class StepReasons {
  private final Handle handle;
  private final KnownWorkflow known;
  private final ListDao lists = new ListDao();
  private final StepDao steps = new StepDao();

  StepReasons(Handle handle, KnownWorkflow known) {
    this.handle = handle;
    this.known = known;
  }

  /**
   * Why a step has not started.
   *
   * @param needs steps that it needs by themselves
   * @param resetting whether steps of its workflow are being reset
   */
  List<String> waits(
      StepView step, PlannedTemplate planned, List<StepView> needs, boolean resetting) {
    List<String> reasons = new ArrayList<>();
    WorkflowRow workflow = known.workflow();
    TemplateRow row = known.rows().get(planned.number());
    if (workflow.state() != WorkflowState.RUNNING) {
      reasons.add(WorkflowMessages.notRunning(workflow.state()));
    }
    for (int template : planned.needsAll()) {
      TemplateRow other = known.rows().get(template);
      PlannedTemplate needed = known.revision().plan().templates().get(template);
      if (StepReferences.isUnknown(workflow, other, needed)) {
        reasons.add("needs all steps of '%s', which are %s".formatted(other.name(), given(needed)));
      } else if (!other.complete()) {
        reasons.add(
            "needs all steps of '%s', of which %d of %d have succeeded"
                    .formatted(other.name(), other.succeeded, other.existing())
                + (other.failed > 0 ? " and " + other.failed + " failed" : ""));
      }
    }
    Set<String> counted = new HashSet<>();
    for (Relation relation : planned.after()) {
      if (relation.match() == NeedMatch.ARGUMENT && step.unmet() > 0) {
        shared(step, relation).ifPresent(reasons::add);
        counted.add(known.rows().get(relation.from()).name());
      }
    }
    for (StepView need : needs) {
      if (counted.contains(need.template()) ? lost(need) : !succeeded(need)) {
        reasons.add(
            "needs step %d%s of '%s', which %s"
                .formatted(
                    need.step(),
                    need.name() == null ? "" : " (" + need.name() + ")",
                    need.template(),
                    WorkflowMessages.words(need.state())));
      }
    }
    if (step.state() == WorkflowStepState.RELEASED) {
      List<String> holds = holds(row);
      reasons.addAll(holds);
      if (holds.isEmpty()) {
        reasons.add("waits for its turn among the elements of its array, job " + row.array);
      }
    } else if (reasons.isEmpty() && known.revision().spec().failFast() && workflow.failed() > 0) {
      reasons.add("no further step starts, because failFast is set and a step has failed");
    } else if (reasons.isEmpty() && resetting) {
      reasons.add("steps of its workflow are being reset; then it is released");
    } else if (reasons.isEmpty()) {
      reasons.add("is about to be released");
    }
    return reasons;
  }

  private static boolean succeeded(StepView need) {
    return need.state() == WorkflowStepState.SUCCEEDED;
  }

  // It will not succeed unless somebody tries it again.
  private static boolean lost(StepView need) {
    return need.state() == WorkflowStepState.FAILED || need.state() == WorkflowStepState.CANCELLED;
  }

  // When the steps of a template are known that has no list yet.
  private String given(PlannedTemplate template) {
    return WorkflowMessages.listGiven(known.rows().get(template.given().from()).name());
  }

  // The counters say how many are left, however many share the values.
  private Optional<String> shared(StepView step, Relation relation) {
    TemplateRow from = known.rows().get(relation.from());
    String which =
        "needs the steps of '%s' with the same %s"
            .formatted(from.name(), String.join(", ", arguments(relation)));
    WorkflowPlan plan = known.revision().plan();
    PlannedTemplate needed = plan.templates().get(relation.from());
    if (StepReferences.isUnknown(known.workflow(), from, needed)) {
      return Optional.of(which + ", which are " + given(needed));
    }
    int all = sharing(known, relation);
    int left =
        new ArgumentCounters(handle, known.workflow().id(), steps)
            .get(relation, plan.wanted(relation, step.step()), all);
    return left == 0
        ? Optional.empty()
        : Optional.of("%s, of which %d of %d have succeeded".formatted(which, all - left, all));
  }

  /** How many steps have the same values as one that waits for them. */
  static int sharing(KnownWorkflow known, Relation relation) {
    WorkflowPlan plan = known.revision().plan();
    return known.workflow().startedAt() == null
        ? plan.sharing(relation)
        : plan.sharing(relation, known.rows().get(relation.from()).existing());
  }

  private List<String> arguments(Relation relation) {
    PlannedTemplate to = known.revision().plan().templates().get(relation.to());
    return IntStream.of(relation.toLists()).mapToObj(to.arguments()::get).toList();
  }

  /**
   * What holds back a step that has a job, and why it failed although that succeeded.
   *
   * @param itsTurn whether the job does not wait for its turn in its array
   */
  List<String> besides(StepView step, PlannedTemplate planned, boolean itsTurn) {
    List<String> reasons =
        new ArrayList<>(
            step.state() == WorkflowStepState.RELEASED && !itsTurn
                ? holds(known.rows().get(planned.number()))
                : List.of());
    reasons.addAll(wrongLists(step, planned));
    return reasons;
  }

  private List<String> holds(TemplateRow row) {
    TemplateBreaker breaker = known.paused().get(row.template());
    return StepHolds.of(known.workflow(), row, breaker).stream().map(ElementHold::words).toList();
  }

  /** Which value a step lacked, which failed without a job for that. */
  List<String> missingValue(PlannedTemplate planned, int step) {
    JobSpec job = known.revision().spec().templates().get(planned.name()).job();
    try {
      new StepSpecs(handle, known.workflow(), known.revision(), planned.number()).spec(job, step);
      return List.of();
    } catch (MissingValueException e) {
      return List.of(e.getMessage());
    }
  }

  // A step failed although its job succeeded, if templates cannot take the lists that it gave.
  private List<String> wrongLists(StepView step, PlannedTemplate planned) {
    if (step.state() != WorkflowStepState.FAILED || planned.takers().isEmpty()) {
      return List.of();
    }
    return lists.of(handle, known.workflow().id()).values().stream()
        .filter(list -> list.giver() == planned.number() && list.problem() != null)
        .sorted(Comparator.comparingInt(ListRow::template))
        .map(ListRow::problem)
        .toList();
  }
}
