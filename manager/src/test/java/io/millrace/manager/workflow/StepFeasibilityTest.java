package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.job.JobBench;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workflows with steps that no node could run are refused before anything runs. */
final class StepFeasibilityTest {
  private final WorkflowBench bench = new WorkflowBench(16);
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();

  @AfterEach
  void close() {
    bench.close();
  }

  private WorkflowView begin(boolean allowed) {
    WorkflowSpec workflow = workflow(templates);
    return bench
        .binding
        .begin("ann", new WorkflowSubmission(workflow, "", 0, null, allowed))
        .view();
  }

  @Test
  void aWorkflowWithStepsThatNoNodeCouldRunIsRefusedUnlessThatIsAllowed() {
    templates.put("small", template(JobDraft.command("/bin/s").spec(), Map.of()));
    templates.put("wide", template(JobDraft.command("/bin/w").slots(17).spec(), Map.of()));
    assertThatThrownBy(() -> begin(false))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INFEASIBLE))
        .hasMessageContaining("templates.wide.job: asks for slots 17, and the largest node of pool")
        .hasMessageContaining("allowInfeasible (--allow-infeasible)");
    assertThat(bench.views.list(java.util.Set.of(), null, false, null, 10).workflows()).isEmpty();
    long id = begin(true).id();
    assertThat(bench.views.details(id).warnings())
        .singleElement()
        .asString()
        .startsWith("'wide' asks for slots 17");
  }

  @Test
  void ofTheWorkflowOfATaskTheAdviceNamesWhatIsThere() {
    templates.put("wide", template(JobDraft.command("/bin/w").slots(17).spec(), Map.of()));
    WorkflowSubmission submission = new WorkflowSubmission(workflow(templates), "", 0, null);
    assertThatThrownBy(
            () ->
                bench.jobs.database.transaction(
                    handle -> bench.binding.beginOrAdopt(handle, "task", submission)))
        .hasMessageStartingWith("templates.wide.job: asks for slots 17")
        .hasMessageEndingWith(
            "Ask for less under 'workflow' of the task, or add a node with as much: the next run"
                + " tries again")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("--allow-infeasible"));
  }

  @Test
  void aWorkflowWhosePoolHasLostItsLargeNodesIsNotResumedUnlessThatIsAllowed() {
    templates.put("wide", template(JobDraft.command("/bin/w").slots(10).spec(), Map.of()));
    long id = begin(false).id();
    assertThat(bench.run(id, run -> Outcome.FAILED).state()).isEqualTo(WorkflowState.FAILED);
    bench.jobs.employ(JobBench.E1, "e1", 4);
    bench.jobs.employ(JobBench.E2, "e2", 9);
    assertThatThrownBy(() -> begin(false))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INFEASIBLE))
        .hasMessageContaining("templates.wide.job: asks for slots 10")
        .hasMessageContaining("e2");
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(begin(true).id()).isEqualTo(id);
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.RUNNING);
    bench.jobs.employ(JobBench.E2, "e2", 16);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void stepsOfAPoolWithoutNodesWaitAndAreShownWithThat() {
    templates.put("gpu", template(JobDraft.command("/bin/g").pool("gpu").spec(), Map.of()));
    long id = begin(false).id();
    assertThat(bench.views.details(id).warnings())
        .containsExactly("'gpu' waits for pool gpu, which has no node");
  }
}
