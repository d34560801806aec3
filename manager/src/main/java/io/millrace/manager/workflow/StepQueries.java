package io.millrace.manager.workflow;

import static java.util.stream.Collectors.toSet;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobState;
import io.millrace.api.workflow.StepNeeds;
import io.millrace.api.workflow.StepNeeds.NeedingStep;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.WorkflowEvent;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.GivenLists.KnownLists;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.MatchingSteps;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.job.EndedElements;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.JobReadDao;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * Shows steps of workflows, and why one has not started. A page reads a bounded number of blocks,
 * however many steps match. Thread-safe; blocks on the database.
 */
public final class StepQueries {
  /** The most steps of a page. */
  public static final int MAX = 1000;

  // A page ends with the step whose name and arguments reach it: about 1 MB.
  private static final int PAGE_TEXTS = 1024 * 1024;
  private static final int BLOCKS = 64;
  private static final int PAGES = 8;
  private static final int SHOWN_NEEDS = 20;
  private static final int SHOWN_BLOCKS = 201;
  private static final int SOUGHT_NEEDS = 10_000;
  private static final int EVENTS = 100;

  private final Database database;
  private final JobQueries jobs;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final ListDao lists = new ListDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final EndedElements elements = new EndedElements();
  private final TemplateBreakers breakers = new TemplateBreakers();
  private final WorkflowEventDao events = new WorkflowEventDao();
  private final ResetDao resets = new ResetDao();
  private final WorkflowRevisions revisions;
  private final JobReadDao reads;

  StepQueries(Database database, JobQueries jobs, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
    this.jobs = jobs;
    this.reads = new JobReadDao(database.dialect());
  }

  /**
   * Which steps a page shows.
   *
   * @param template only those of this one; null for all
   * @param state only those in this state; null for any
   * @param after only those with higher numbers
   */
  public record StepFilter(String template, WorkflowStepState state, int after, int limit) {}

  /**
   * Steps by rising number; a page ends early when its names and arguments have a million
   * characters.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; UNKNOWN_STEP for an unknown template
   */
  public StepPage list(long workflow, StepFilter filter) {
    return database.read(handle -> list(handle, workflow, filter));
  }

  private StepPage list(Handle handle, long id, StepFilter filter) {
    KnownWorkflow known = known(handle, id);
    int template = filter.template() == null ? -1 : number(known, filter.template());
    int from = filter.after() + 1;
    int to = known.workflow().steps();
    if (template >= 0) {
      TemplateRow row = known.rows().get(template);
      PlannedTemplate planned = known.revision().plan().templates().get(template);
      from = Math.max(from, planned.listed() ? row.firstStep : planned.first());
      int size = planned.given() == null ? planned.size() : row.existing();
      to = planned.listed() ? row.lastStep + 1 : planned.first() + size;
      to = row.existing() == 0 ? from : to;
    }
    List<StepView> found = new ArrayList<>();
    StepReferences references = known.references();
    long texts = 0;
    int step = from;
    for (int page = 0; page < PAGES && step < to && open(found, texts, filter); page++) {
      int end = Math.min(to, (StepBlock.of(step) + BLOCKS) * StepBlock.SIZE);
      Map<Integer, StepBlock> blocks =
          steps.blocks(handle, id, StepBlock.of(step), StepBlock.of(end - 1));
      for (; step < end && open(found, texts, filter); step++) {
        StepBlock block = block(known, blocks, step);
        if ((template < 0 || block.template(step) == template)
            && references.exists(step)
            && (filter.state() == null || block.state(step) == filter.state())) {
          StepView view = view(known, block, step);
          texts += length(view);
          found.add(view);
        }
      }
    }
    return new StepPage(found, step < to ? step - 1 : null);
  }

  // Whether the page takes a further step.
  private static boolean open(List<StepView> found, long texts, StepFilter filter) {
    return found.size() < filter.limit() && texts < PAGE_TEXTS;
  }

  private static long length(StepView step) {
    long length = step.name() == null ? 0 : step.name().length();
    for (Map.Entry<String, String> argument : step.arguments().entrySet()) {
      length += argument.getKey().length() + argument.getValue().length();
    }
    return length;
  }

  /**
   * A step with its job, and why it has not started.
   *
   * @param step as of {@link StepReferences}
   * @throws MillraceException UNKNOWN_WORKFLOW; UNKNOWN_STEP for a text that names no step
   */
  public StepDetails details(long workflow, String step) {
    return details(
        workflow,
        database.<Integer, RuntimeException>read(handle -> number(handle, workflow, step)));
  }

  private int number(Handle handle, long id, String step) {
    return known(handle, id).references().existing(handle, step);
  }

  /**
   * A step with its job, and why it has not started.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; UNKNOWN_STEP for a number that no step has
   */
  public StepDetails details(long workflow, int step) {
    Found found = database.read(handle -> find(handle, workflow, step));
    List<AttemptView> attempts = found.job() == null ? List.of() : attempts(found.job());
    // Nothing holds back a step that has been started.
    List<String> reasons =
        attempts.isEmpty() || found.step().state().ended() ? found.reasons() : List.of();
    return new StepDetails(
        found.step(),
        reasons,
        found.needs(),
        found.moreNeeds(),
        found.job(),
        attempts,
        found.events());
  }

  /**
   * The failed steps of a workflow by their causes, each named by its number; of very many some.
   * Steps that are tried again are no longer among them.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW
   */
  public FailureGroups failures(long workflow) {
    List<Long> arrays =
        database.read(
            handle -> {
              KnownWorkflow known = known(handle, workflow);
              return releases.withTemplates(handle, workflow).stream()
                  .filter(array -> known.rows().get(array.template()).failed > 0)
                  .map(StepArray::array)
                  .sorted(Comparator.reverseOrder())
                  .toList();
            });
    FailureGroups groups = jobs.elementFailures(arrays, this::failedNow);
    return groups.named(database.read(handle -> labels(handle, workflow, groups)));
  }

  // Steps that failed before they were tried again count no more.
  private Set<Long> failedNow(Handle handle, long array, Collection<Long> indexes) {
    StepArray own = releases.arrays(handle, List.of(array)).get(array);
    if (own == null) {
      return Set.of();
    }
    Map<Integer, StepBlock> blocks =
        steps.blocks(
            handle, own.workflow(), StepBlock.numbersOf(indexes.stream().mapToInt(Long::intValue)));
    Set<Long> failed = new TreeSet<>();
    for (long index : indexes) {
      StepBlock block = blocks.get(StepBlock.of((int) index));
      if (block != null
          && block.state((int) index) == WorkflowStepState.FAILED
          && block.releasedIn((int) index, own.epoch())) {
        failed.add(index);
      }
    }
    return failed;
  }

  private Map<String, String> labels(Handle handle, long workflow, FailureGroups groups) {
    Set<Integer> numbers = new TreeSet<>();
    for (FailureGroup group : groups.groups()) {
      group.items().forEach(item -> numbers.add(Integer.parseInt(item)));
      numbers.add(Integer.parseInt(group.sample().item()));
    }
    KnownWorkflow known = known(handle, workflow);
    Map<Integer, StepBlock> blocks =
        steps.blocks(
            handle, workflow, StepBlock.numbersOf(numbers.stream().mapToInt(Integer::intValue)));
    Map<String, String> labels = new TreeMap<>();
    for (int step : numbers) {
      String label = view(known, block(known, blocks, step), step).label();
      labels.put(Integer.toString(step), ShownText.of(label));
    }
    return labels;
  }

  /**
   * All steps of a workflow with what they need.
   *
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if it has many steps or long arguments, or
   *     its graph has not been checked
   */
  public StepNeeds needs(long workflow) {
    return database.read(handle -> needs(handle, workflow));
  }

  private StepNeeds needs(Handle handle, long id) {
    KnownWorkflow known = known(handle, id);
    WorkflowRow workflow = known.workflow();
    if (workflow.startedAt() == null) {
      throw WorkflowMessages.conflict(workflow, "its graph has not been checked");
    }
    if (workflow.steps() > StepNeeds.MAX_STEPS) {
      throw WorkflowMessages.conflict(
          workflow,
          "it has %d steps, and only up to %d are shown with all their needs"
              .formatted(workflow.steps(), StepNeeds.MAX_STEPS));
    }
    int[] numbers =
        IntStream.range(0, workflow.steps()).filter(known.references()::exists).toArray();
    Map<Integer, StepBlock> blocks = steps.blocks(handle, id, StepBlock.numbersOf(numbers));
    List<NeedingStep> all = new ArrayList<>();
    long texts = 0;
    for (int step : numbers) {
      StepBlock block = block(known, blocks, step);
      PlannedTemplate planned = known.revision().plan().templates().get(block.template(step));
      Set<Integer> needs = new TreeSet<>();
      Set<Integer> whole = new TreeSet<>(planned.needsAll());
      if (planned.listed()) {
        StoredStep stored = known.listed().read(step);
        IntStream.of(stored.needs()).forEach(needs::add);
        IntStream.of(stored.all()).forEach(whole::add);
      } else {
        IntStream.of(elementNeeds(known, step)).forEach(needs::add);
        planned.after().stream()
            .filter(relation -> relation.match() == NeedMatch.ARGUMENT)
            .forEach(relation -> addSharing(known, relation, step, needs));
      }
      StepView view = view(known, block, step);
      texts += length(view);
      if (texts > PAGE_TEXTS) {
        throw WorkflowMessages.conflict(
            workflow,
            "the names and arguments of its steps have more than %d characters; list the steps by pages"
                .formatted(PAGE_TEXTS));
      }
      all.add(
          new NeedingStep(
              view,
              List.copyOf(needs),
              whole.stream().map(number -> known.rows().get(number).name()).toList()));
    }
    return new StepNeeds(id, all);
  }

  private static void addSharing(
      KnownWorkflow known, Relation relation, int step, Set<Integer> needs) {
    WorkflowPlan plan = known.revision().plan();
    MatchingSteps sharing = plan.sharers(relation, plan.wanted(relation, step));
    for (int place = 0; place < sharing.count(); place++) {
      needs.add(sharing.step(place));
    }
  }

  private List<AttemptView> attempts(long job) {
    try {
      return jobs.details(job).attempts();
    } catch (MillraceException e) {
      if (e.code() == ErrorCode.UNKNOWN_JOB) {
        return List.of();
      }
      throw e;
    }
  }

  private record Found(
      StepView step,
      List<String> reasons,
      List<StepView> needs,
      int moreNeeds,
      Long job,
      List<WorkflowEvent> events) {}

  private Found find(Handle handle, long id, int step) {
    KnownWorkflow known = known(handle, id);
    known.references().requireExisting(step);
    StepBlock block = block(known, steps.blocks(handle, id, Set.of(StepBlock.of(step))), step);
    StepView view = view(known, block, step);
    PlannedTemplate planned = known.revision().plan().templates().get(block.template(step));
    SingleNeeds needs = needs(known, planned, step);
    List<StepView> shown = shown(known, handle, needs.some());
    Long job = view.state() == WorkflowStepState.WAITING ? null : job(handle, known, block, step);
    StepReasons why = new StepReasons(handle, known);
    List<String> reasons =
        job != null
            ? why.besides(view, planned, isItsTurn(handle, job))
            : view.state().ended()
                ? why.missingValue(planned, step)
                : why.waits(view, planned, shown, resets.find(handle, id).isPresent());
    return new Found(
        view,
        reasons,
        shown,
        needs.count() - shown.size(),
        job,
        events.of(handle, id, step, EVENTS));
  }

  private boolean isItsTurn(Handle handle, long job) {
    return reads.view(handle, job).filter(view -> view.state() == JobState.BLOCKED).isEmpty();
  }

  /**
   * Steps that a step needs by themselves.
   *
   * @param some all of them, or the first of very many
   * @param count how many they are
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  private record SingleNeeds(int[] some, int count) {}

  private static SingleNeeds needs(KnownWorkflow known, PlannedTemplate planned, int step) {
    if (planned.listed()) {
      int[] own = known.listed().read(step).needs();
      return new SingleNeeds(own, own.length);
    }
    Set<Integer> some = new TreeSet<>();
    IntStream.of(elementNeeds(known, step)).forEach(some::add);
    int count = some.size();
    WorkflowPlan plan = known.revision().plan();
    for (Relation relation : planned.after()) {
      if (relation.match() == NeedMatch.ARGUMENT) {
        MatchingSteps sharing = plan.sharers(relation, plan.wanted(relation, step));
        for (int place = 0; place < sharing.count() && some.size() < SOUGHT_NEEDS; place++) {
          if (known.references().exists(sharing.step(place))) {
            some.add(sharing.step(place));
          }
        }
        count += StepReasons.sharing(known, relation);
      }
    }
    return new SingleNeeds(
        some.stream().mapToInt(Integer::intValue).toArray(), Math.max(count, some.size()));
  }

  // Steps that need the one at their position have one need of their own for each such relation.
  private static int[] elementNeeds(KnownWorkflow known, int step) {
    PlannedTemplate to = known.revision().plan().ofFixed(step);
    return to.after().stream()
        .filter(relation -> relation.match() == NeedMatch.ELEMENT)
        .mapToInt(
            relation ->
                known.revision().plan().templates().get(relation.from()).first()
                    + step
                    - to.first())
        .toArray();
  }

  // Those that have not succeeded first.
  private List<StepView> shown(KnownWorkflow known, Handle handle, int[] needs) {
    Set<Integer> numbers =
        IntStream.of(needs)
            .map(StepBlock::of)
            .distinct()
            .limit(SHOWN_BLOCKS)
            .boxed()
            .collect(toSet());
    Map<Integer, StepBlock> blocks = steps.blocks(handle, known.workflow().id(), numbers);
    return IntStream.of(needs)
        .filter(need -> numbers.contains(StepBlock.of(need)))
        .boxed()
        .sorted(
            Comparator.comparing(
                need -> block(known, blocks, need).state(need) == WorkflowStepState.SUCCEEDED))
        .limit(SHOWN_NEEDS)
        .map(need -> view(known, block(known, blocks, need), need))
        .toList();
  }

  private Long job(Handle handle, KnownWorkflow known, StepBlock block, int step) {
    // That of the run before is not the one that it waits for.
    if (block.declared(step)) {
      return null;
    }
    List<StepArray> arrays =
        releases.withTemplates(handle, known.workflow().id()).stream()
            .filter(
                array ->
                    array.template() == block.template(step)
                        && block.releasedIn(step, array.epoch()))
            .toList();
    for (int i = arrays.size() - 1; i >= 0; i--) {
      var id = elements.id(handle, arrays.get(i).array(), step);
      if (id.isPresent()) {
        return id.getAsLong();
      }
    }
    return null;
  }

  /** What all answers about a workflow need. */
  record KnownWorkflow(
      WorkflowRow workflow,
      WorkflowRevision revision,
      Map<Integer, TemplateRow> rows,
      Map<Integer, TemplateBreaker> paused,
      KnownLists lists,
      StepReader listed) {
    StepReferences references() {
      return new StepReferences(workflow, revision, rows.values());
    }
  }

  private KnownWorkflow known(Handle handle, long id) {
    WorkflowRow workflow =
        workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    Map<Integer, TemplateRow> rows = new TreeMap<>();
    templates.of(handle, id).forEach(row -> rows.put(row.template(), row));
    WorkflowRevision revision = revisions.read(handle, id, workflow.revision());
    return new KnownWorkflow(
        workflow,
        revision,
        rows,
        breakers.effective(handle, id, workflow.epoch(), workflow.failed()),
        lists.known(handle, id),
        new StepReader(handle, workflow));
  }

  private static int number(KnownWorkflow known, String template) {
    return known.rows().values().stream()
        .filter(row -> row.name().equals(template))
        .findFirst()
        .orElseThrow(() -> WorkflowMessages.unknownTemplate(known.workflow().id(), template))
        .template();
  }

  // A block that is not stored, of a graph that is not checked yet, has its listed steps only as
  // they were submitted.
  private static StepBlock block(KnownWorkflow known, Map<Integer, StepBlock> blocks, int step) {
    StepBlock block =
        blocks.computeIfAbsent(
            StepBlock.of(step), number -> known.revision().plan().initial(number));
    WorkflowRow workflow = known.workflow();
    if (workflow.startedAt() == null
        && step >= workflow.fixedSteps()
        && step < workflow.fixedSteps() + workflow.boundSteps()) {
      StoredStep stored = known.listed().read(step);
      block.template(step, stored.template());
      block.unmet(step, stored.needs().length + stored.all().length);
    }
    return block;
  }

  private static StepView view(KnownWorkflow known, StepBlock block, int step) {
    WorkflowRow workflow = known.workflow();
    PlannedTemplate planned = known.revision().plan().templates().get(block.template(step));
    String name = null;
    Map<String, String> arguments = Map.of();
    if (step < workflow.fixedSteps()) {
      arguments =
          StepSpecs.arguments(
              planned,
              known.revision().spec().templates().get(planned.name()),
              known.lists(),
              step);
    } else if (step < workflow.fixedSteps() + workflow.boundSteps()) {
      StoredStep stored = known.listed().read(step);
      arguments = stored.arguments();
      name = stored.name().isEmpty() ? null : stored.name();
    }
    return new StepView(
        step, name, planned.name(), block.state(step), arguments, block.unmet(step));
  }
}
