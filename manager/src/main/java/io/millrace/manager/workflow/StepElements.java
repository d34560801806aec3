package io.millrace.manager.workflow;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.ArrayJobDao;
import io.millrace.manager.job.ReleasedElements;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.StepSpecs.MissingValueException;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Makes released steps elements of their arrays, within the limits of the workflow and of the
 * template, which may change at any time (0 pauses). Thread-safe.
 */
public final class StepElements implements ReleasedElements {
  private static final Set<JobState> OPEN =
      EnumSet.of(JobState.WAITING, JobState.PLACED, JobState.RUNNING);

  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final TemplateBreakers breakers = new TemplateBreakers();
  private final WorkflowRevisions revisions = new WorkflowRevisions();

  /** The definitions that it reads, which others may share. */
  public WorkflowRevisions revisions() {
    return revisions;
  }

  @Override
  public Map<Long, ElementAllowance> allowances(Handle handle, Collection<Long> arrays) {
    Map<Long, StepArray> own = releases.arrays(handle, arrays);
    if (own.isEmpty()) {
      return Map.of();
    }
    Map<Long, Long> queued = releases.waiting(handle, own.keySet());
    // By rising id, so that two that lock the rows of several workflows do not wait for each other.
    Map<Long, List<StepArray>> byWorkflow = new TreeMap<>();
    own.values()
        .forEach(
            array ->
                byWorkflow.computeIfAbsent(array.workflow(), one -> new ArrayList<>()).add(array));
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
    Map<Integer, TemplateBreaker> paused =
        breakers.effective(handle, workflow.id(), workflow.failed());
    for (StepArray array : arrays) {
      long waiting = queued.getOrDefault(array.array(), 0L);
      Integer limit =
          left(handle, array, TemplateBreakers.limit(rows.get(array.template()), paused));
      boolean stopped = limit != null && limit == 0;
      // Elements that were created before and wait for their turn again count as well.
      long most = stopped ? 0 : rest;
      allowances.put(array.array(), new ElementAllowance(waiting, most, limit == null ? 0 : limit));
      rest = Math.max(0, rest - Math.min(waiting, most));
    }
  }

  // What the limit of a template leaves to an array: after a hot resumption, elements of earlier
  // ones still run.
  private Integer left(Handle handle, StepArray array, Integer limit) {
    if (limit == null || limit == 0 || array.epoch() == 1) {
      return limit;
    }
    List<Long> others =
        releases.arraysOf(handle, array.workflow(), array.template()).stream()
            .filter(one -> one != array.array())
            .toList();
    return Math.max(0, limit - open(handle, others));
  }

  private long free(Handle handle, WorkflowRow workflow) {
    return workflow.maxRunning() == null
        ? Long.MAX_VALUE
        : Math.max(
            0, workflow.maxRunning() - open(handle, releases.arraysOf(handle, workflow.id())));
  }

  private int open(Handle handle, List<Long> arrays) {
    int open = 0;
    for (Map<JobState, Integer> counts : arrayJobs.count(handle, arrays, OPEN).values()) {
      open += counts.values().stream().mapToInt(Integer::intValue).sum();
    }
    return open;
  }

  @Override
  public List<ReleasedElement> take(Handle handle, long array, JobSpec common, int count) {
    StepArray own = releases.arrays(handle, List.of(array)).get(array);
    StepSpecs specs = specs(handle, own);
    List<ReleasedElement> elements = new ArrayList<>(count);
    List<Integer> impossible = new ArrayList<>();
    for (int step : releases.take(handle, array, count)) {
      try {
        elements.add(new ReleasedElement(specs.spec(common, step), step));
      } catch (MissingValueException e) {
        impossible.add(step);
      }
    }
    // They fail without a job; their explanation says what is missing.
    int[] failed = impossible.stream().mapToInt(Integer::intValue).sorted().toArray();
    releases.insertEnds(handle, own, JobState.FAILED, StepNumbers.pack(failed, failed.length));
    return elements;
  }

  @Override
  public Optional<JobSpec> spec(Handle handle, long array, JobSpec common, long index) {
    return Optional.ofNullable(releases.arrays(handle, List.of(array)).get(array))
        .map(
            own -> {
              try {
                return specs(handle, own).spec(common, (int) index);
              } catch (MissingValueException e) {
                // Its values were deleted; the rest of what it ran is known.
                return common;
              }
            });
  }

  @Override
  public Optional<Long> workflow(Handle handle, long array) {
    return Optional.ofNullable(releases.arrays(handle, List.of(array)).get(array))
        .map(StepArray::workflow);
  }

  private StepSpecs specs(Handle handle, StepArray array) {
    WorkflowRow workflow = workflows.find(handle, array.workflow()).orElseThrow();
    WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
    return new StepSpecs(handle, workflow, revision, array.template());
  }
}
