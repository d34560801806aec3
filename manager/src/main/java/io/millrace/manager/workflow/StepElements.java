package io.millrace.manager.workflow;

import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.job.ArrayJobDao;
import io.millrace.manager.job.ElementTexts.StoredLength;
import io.millrace.manager.job.ReleasedElements;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.StepSpecs.MissingValueException;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
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
  private static final Set<JobState> COUNTED =
      EnumSet.of(JobState.WAITING, JobState.PLACED, JobState.RUNNING, JobState.BLOCKED);

  // The owner of a workflow that a run of a task submitted, before the name of the task.
  private static final String TASK = "task:";

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
      List<StepArray> members,
      Map<Long, Long> queued,
      Map<Long, ElementAllowance> allowances) {
    Map<Integer, TemplateRow> rows =
        templates.find(handle, workflow.id(), members.stream().map(StepArray::template).toList());
    Map<Integer, TemplateBreaker> paused =
        breakers.effective(handle, workflow.id(), workflow.epoch(), workflow.failed());
    Map<Integer, Integer> limits = new HashMap<>();
    rows.forEach((template, row) -> limits.put(template, TemplateBreakers.limit(row, paused)));
    StepShares shares = shares(handle, workflow, limits);
    // What began earlier goes on first.
    members.sort(Comparator.comparingLong(StepArray::array));
    for (StepArray array : members) {
      allowances.put(
          array.array(),
          shares.allow(
              array, limits.get(array.template()), queued.getOrDefault(array.array(), 0L)));
    }
  }

  private StepShares shares(Handle handle, WorkflowRow workflow, Map<Integer, Integer> limits) {
    StepShares shares = new StepShares();
    if (workflow.paused()) {
      shares.rest = 0;
      return shares;
    }
    // In the first epoch a template has one array, and nothing to share.
    boolean several =
        workflow.epoch() > 1
            && limits.values().stream().anyMatch(limit -> limit != null && limit > 0);
    if (several || workflow.maxRunning() != null) {
      Map<Integer, List<Long>> all = releases.arraysByTemplate(handle, workflow.id());
      if (workflow.maxRunning() == null) {
        all.keySet().removeIf(template -> limits.get(template) == null);
      }
      Map<Long, Map<JobState, Integer>> counts =
          arrayJobs.count(handle, all.values().stream().flatMap(List::stream).toList(), COUNTED);
      all.forEach(
          (template, arrays) ->
              arrays.forEach(array -> shares.add(template, array, counts.get(array))));
    }
    if (workflow.maxRunning() != null) {
      int open = shares.ofTemplates.values().stream().mapToInt(Integer::intValue).sum();
      shares.rest = Math.max(0, workflow.maxRunning() - open);
    }
    return shares;
  }

  /**
   * What the limits of a workflow and of its templates leave to their arrays, of which a template
   * has several after a resumption: each sees what elements of the others wait for a slot or run,
   * and what others get in the same expansion. One thread.
   */
  private static final class StepShares {
    private long rest = Long.MAX_VALUE;
    private final Map<Integer, Integer> ofTemplates = new HashMap<>();
    private final Map<Long, Integer> ofArrays = new HashMap<>();
    private final Map<Long, Integer> resting = new HashMap<>();

    void add(int template, long array, Map<JobState, Integer> counts) {
      if (counts == null) {
        return;
      }
      int open = OPEN.stream().mapToInt(state -> counts.getOrDefault(state, 0)).sum();
      ofTemplates.merge(template, open, Integer::sum);
      ofArrays.put(array, open);
      resting.put(array, counts.getOrDefault(JobState.BLOCKED, 0));
    }

    /**
     * The allowance of an array, which counts for those after it.
     *
     * @param limit of its template; null for any number
     * @param queued its released steps without a job
     */
    ElementAllowance allow(StepArray array, Integer limit, long queued) {
      int own = ofArrays.getOrDefault(array.array(), 0);
      int others = ofTemplates.getOrDefault(array.template(), 0) - own;
      int left = limit == null ? Integer.MAX_VALUE : Math.max(0, limit - others);
      if (left == 0) {
        return new ElementAllowance(queued, 0, 0);
      }
      ElementAllowance allowance = new ElementAllowance(queued, rest, limit == null ? 0 : left);
      // Elements that were created before and wait for their turn again count as well.
      long wanted = queued + resting.getOrDefault(array.array(), 0);
      int share = (int) Math.min(Math.min(wanted, rest), Math.max(0, left - own));
      ofTemplates.merge(array.template(), share, Integer::sum);
      rest -= rest == Long.MAX_VALUE ? 0 : share;
      return allowance;
    }
  }

  @Override
  public List<ReleasedElement> take(
      Handle handle, long array, JobSpec common, int count, long characters) {
    StepArray own = releases.arrays(handle, List.of(array)).get(array);
    StepSpecs specs = specs(handle, own);
    List<ReleasedElement> elements = new ArrayList<>();
    List<Integer> impossible = new ArrayList<>();
    StoredLength lengths = StoredLength.of(common);
    long[] left = {characters};
    releases.take(
        handle,
        array,
        count,
        (step, place) -> {
          try {
            JobSpec spec = specs.spec(common, step);
            elements.add(new ReleasedElement(spec, step));
            left[0] -= lengths.element(spec);
          } catch (MissingValueException e) {
            impossible.add(step);
          }
          return left[0] > 0;
        });
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
                // Its values were deleted, or its list is shorter now; the rest of it is known.
                return common;
              }
            });
  }

  @Override
  public Optional<Long> workflow(Handle handle, long array) {
    return Optional.ofNullable(releases.arrays(handle, List.of(array)).get(array))
        .map(StepArray::workflow);
  }

  @Override
  public List<ElementHold> holds(Handle handle, long array) {
    StepArray own = releases.arrays(handle, List.of(array)).get(array);
    WorkflowRow workflow = own == null ? null : workflows.find(handle, own.workflow()).orElse(null);
    if (workflow == null) {
      return List.of();
    }
    TemplateRow row =
        templates.find(handle, workflow.id(), List.of(own.template())).get(own.template());
    TemplateBreaker breaker =
        breakers
            .effective(handle, workflow.id(), workflow.epoch(), workflow.failed())
            .get(own.template());
    return StepHolds.of(workflow, row, breaker);
  }

  @Override
  public Optional<String> changed(Handle handle, long array, String wanted) {
    return workflow(handle, array)
        .flatMap(id -> workflows.find(handle, id))
        .map(
            workflow ->
                workflow.owner().startsWith(TASK)
                    ? "cancel workflow %d and define task %s with %s"
                        .formatted(workflow.id(), workflow.owner().substring(TASK.length()), wanted)
                    : "submit workflow %d again with %s and --resume hot"
                        .formatted(workflow.id(), wanted));
  }

  private StepSpecs specs(Handle handle, StepArray array) {
    WorkflowRow workflow = workflows.find(handle, array.workflow()).orElseThrow();
    WorkflowRevision revision = revisions.read(handle, workflow.id(), workflow.revision());
    return new StepSpecs(handle, workflow, revision, array.template());
  }
}
