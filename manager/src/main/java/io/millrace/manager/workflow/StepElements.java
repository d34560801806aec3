package io.millrace.manager.workflow;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.workflow.Placeholders;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.job.ArrayJobDao;
import io.millrace.manager.job.ReleasedElements;
import io.millrace.manager.workflow.ListedSteps.StoredStep;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;

/**
 * Makes released steps elements of their arrays: within the limits of the workflow and of the
 * template, which may change at any time (0 pauses), and with the arguments of each step in its
 * texts. Thread-safe.
 */
public final class StepElements implements ReleasedElements {
  private static final Set<JobState> OPEN =
      EnumSet.of(JobState.WAITING, JobState.PLACED, JobState.RUNNING);

  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final WorkflowRevisions revisions = new WorkflowRevisions();

  @Override
  public Map<Long, ElementAllowance> allowances(Handle handle, Collection<Long> arrays) {
    Map<Long, StepArray> own = releases.arrays(handle, arrays);
    if (own.isEmpty()) {
      return Map.of();
    }
    Map<Long, Long> queued = releases.waiting(handle, own.keySet());
    Map<Long, List<StepArray>> byWorkflow = new LinkedHashMap<>();
    own.values()
        .forEach(
            array ->
                byWorkflow
                    .computeIfAbsent(array.workflow(), one -> new ArrayList<>())
                    .add(array));
    Map<Long, ElementAllowance> allowances = new HashMap<>();
    byWorkflow.forEach(
        (workflow, members) ->
            // Locked, so that the limit holds if arrays of several pools are expanded at once.
            workflows
                .lock(handle, workflow)
                .ifPresent(row -> allow(handle, row, members, queued, allowances)));
    return allowances;
  }

  private void allow(
      Handle handle,
      WorkflowRow workflow,
      List<StepArray> arrays,
      Map<Long, Long> queued,
      Map<Long, ElementAllowance> allowances) {
    long rest = workflow.paused() ? 0 : free(handle, workflow);
    Map<Integer, TemplateRow> rows =
        templates.find(handle, workflow.id(), arrays.stream().map(StepArray::template).toList());
    for (StepArray array : arrays) {
      long waiting = queued.getOrDefault(array.array(), 0L);
      Integer limit = rows.get(array.template()).maxRunning();
      boolean stopped = limit != null && limit == 0;
      // Elements that were created before and wait for their turn again count as well.
      long most = stopped ? 0 : rest;
      allowances.put(
          array.array(), new ElementAllowance(waiting, most, limit == null ? 0 : limit));
      rest = Math.max(0, rest - Math.min(waiting, most));
    }
  }

  private long free(Handle handle, WorkflowRow workflow) {
    if (workflow.maxRunning() == null) {
      return Long.MAX_VALUE;
    }
    long open = 0;
    for (Map<JobState, Integer> counts :
        arrayJobs.count(handle, releases.arraysOf(handle, workflow.id()), OPEN).values()) {
      open += counts.values().stream().mapToInt(Integer::intValue).sum();
    }
    return Math.max(0, workflow.maxRunning() - open);
  }

  @Override
  public List<ReleasedElement> take(Handle handle, long array, JobSpec common, int count) {
    StepArray own = releases.arrays(handle, List.of(array)).get(array);
    StepSpecs specs = specs(handle, own);
    List<ReleasedElement> elements = new ArrayList<>(count);
    for (int step : releases.take(handle, array, count)) {
      elements.add(new ReleasedElement(specs.spec(common, step), step));
    }
    return elements;
  }

  @Override
  public Optional<JobSpec> spec(Handle handle, long array, JobSpec common, long index) {
    return Optional.ofNullable(releases.arrays(handle, List.of(array)).get(array))
        .map(own -> specs(handle, own).spec(common, (int) index));
  }

  private StepSpecs specs(Handle handle, StepArray array) {
    WorkflowRow workflow = workflows.find(handle, array.workflow()).orElseThrow();
    WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
    return new StepSpecs(
        workflow, revision, array.template(), new StepReader(handle, workflow));
  }

  /** What the steps of a template run. One thread. */
  private record StepSpecs(
      WorkflowRow workflow, WorkflowRevision revision, int template, StepReader listed) {
    JobSpec spec(JobSpec common, int step) {
      PlannedTemplate planned = revision.plan().templates().get(template);
      Map<String, String> values = new HashMap<>();
      revision.spec().arguments().forEach((key, value) -> values.put("workflow." + key, value));
      String name = null;
      if (planned.listed()) {
        StoredStep stored = listed.read(step);
        values.putAll(stored.arguments());
        name = stored.name().isEmpty() ? null : stored.name();
      } else {
        values.putAll(
            arguments(planned, revision.spec().templates().get(planned.name()), step));
      }
      return filled(common, workflow, step, name, values);
    }
  }

  /** The arguments of a step that lists make. */
  static Map<String, String> arguments(PlannedTemplate planned, StepTemplate template, int step) {
    Map<String, String> values = new LinkedHashMap<>();
    int[] positions = planned.positions(step);
    int at = 0;
    for (Map.Entry<String, ValueList> list : template.each().entrySet()) {
      values.put(list.getKey(), list.getValue().get(positions[at++]));
    }
    return values;
  }

  private static JobSpec filled(
      JobSpec common, WorkflowRow workflow, int step, String name, Map<String, String> values) {
    Map<String, String> env = new HashMap<>();
    common.env().forEach((key, value) -> env.put(key, Placeholders.fill(value, values)));
    env.put("MILLRACE_WORKFLOW", Long.toString(workflow.id()));
    env.put("MILLRACE_STEP", Integer.toString(step));
    if (name != null) {
      env.put("MILLRACE_STEP_NAME", name);
    }
    var draft = common.draft().env(env).cwd(fill(common.cwd(), values));
    draft.stdin(fill(common.stdin(), values));
    if (common.command() == null) {
      draft.arguments(fill(common.arguments(), values));
    } else {
      draft.argv(fill(common.command(), values));
    }
    return draft.spec();
  }

  private static String fill(String text, Map<String, String> values) {
    return text == null ? null : Placeholders.fill(text, values);
  }

  private static List<String> fill(List<String> texts, Map<String, String> values) {
    return texts.stream().map(text -> Placeholders.fill(text, values)).toList();
  }
}
