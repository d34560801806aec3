package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobState;
import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.CriticalPath.PathLevel;
import io.millrace.api.workflow.CriticalPath.PathLink;
import io.millrace.manager.graph.ListedSteps;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import io.millrace.manager.graph.StepChain;
import io.millrace.manager.graph.StepChain.Chain;
import io.millrace.manager.graph.StepChain.ListedNeeds;
import io.millrace.manager.graph.TemplateEdges;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.manager.job.ElementTimes;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.StepDao.StepRow;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * The longest chains of workflows by measured run times (J-05: monitor): of templates from sums; of
 * steps from what is known of each of them, in memory that a bound of their number limits.
 * Thread-safe; blocks on the database.
 */
public final class CriticalPaths {
  /** The most steps of a workflow whose chain of steps is looked for. */
  public static final int MAX_STEPS = 100_000;

  private static final int SAMPLED = 100;
  private static final int MAX_NEEDS = 4_000_000;
  private static final int MAX_LINKS = 1000;
  private static final int ROWS = 64;
  private static final double MILLIS = 1000.0;

  private final Database database;
  private final DatabaseTime time;
  private final TemplateProgressReader progress;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final StepDao steps = new StepDao();
  private final EdgeDao edges = new EdgeDao();
  private final ListDao lists = new ListDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ElementTimes times = new ElementTimes();
  private final WorkflowRevisions revisions;

  CriticalPaths(Database database, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.progress = new TemplateProgressReader(database.dialect());
  }

  /**
   * The longest chain.
   *
   * @param level of steps or templates; null for steps unless there are too many
   * @throws MillraceException UNKNOWN_WORKFLOW; CONFLICT if its graph has not been checked;
   *     INVALID_REQUEST if it has too many steps for a chain of steps
   */
  public CriticalPath of(long workflow, PathLevel level) {
    return database.read(handle -> of(handle, workflow, level));
  }

  private CriticalPath of(Handle handle, long id, PathLevel level) {
    WorkflowRow workflow =
        workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    if (workflow.startedAt() == null) {
      throw WorkflowMessages.conflict(workflow, "its graph has not been checked");
    }
    if (level == PathLevel.STEPS && workflow.steps() > MAX_STEPS) {
      throw refuse(
          "workflow %d has %d steps; a chain of steps is looked for among up to %d, one of templates among any number (level=templates)"
              .formatted(id, workflow.steps(), MAX_STEPS));
    }
    boolean few = workflow.steps() <= MAX_STEPS;
    return level == PathLevel.STEPS || (level == null && few)
        ? ofSteps(handle, workflow)
        : ofTemplates(handle, workflow);
  }

  private CriticalPath ofTemplates(Handle handle, WorkflowRow workflow) {
    List<TemplateRow> rows = templates.of(handle, workflow.id());
    Map<Integer, Long> means = progress.means(handle, workflow.id(), rows);
    addFailed(handle, rows, means);
    TemplateEdges order = new TemplateEdges(rows.size(), edges.of(handle, workflow.id()));
    Map<Integer, List<EdgeRow>> before = order.before();
    long[] finish = new long[rows.size()];
    int[] latest = new int[rows.size()];
    int last = -1;
    for (int template : order.order()) {
      latest[template] = -1;
      for (EdgeRow edge : before.getOrDefault(template, List.of())) {
        if (latest[template] < 0 || finish[edge.from()] > finish[latest[template]]) {
          latest[template] = edge.from();
        }
      }
      finish[template] =
          means.getOrDefault(template, 0L) + (latest[template] < 0 ? 0 : finish[latest[template]]);
      last = last < 0 || finish[template] > finish[last] ? template : last;
    }
    List<PathLink> links = new ArrayList<>();
    for (int template = last; template >= 0; template = latest[template]) {
      links.add(
          new PathLink(
              null, null, rows.get(template).name(), means.getOrDefault(template, 0L) / MILLIS));
    }
    Collections.reverse(links);
    int unmeasured = (int) rows.stream().filter(row -> !means.containsKey(row.template())).count();
    return path(workflow, PathLevel.TEMPLATES, last < 0 ? 0 : finish[last], unmeasured, links);
  }

  // Templates of which no step succeeded took time as well.
  private void addFailed(Handle handle, List<TemplateRow> rows, Map<Integer, Long> means) {
    rows.stream()
        .filter(row -> row.failed > 0 && row.array != null && !means.containsKey(row.template()))
        .limit(SAMPLED)
        .forEach(
            row ->
                times
                    .sampleMean(handle, row.array, JobState.FAILED)
                    .ifPresent(mean -> means.put(row.template(), mean)));
  }

  private CriticalPath ofSteps(Handle handle, WorkflowRow workflow) {
    WorkflowPlan plan = revisions.read(handle, workflow.id(), workflow.revision()).plan();
    long combinations = 0;
    for (Relation relation : plan.relations()) {
      combinations += StepChain.combinations(plan, relation);
    }
    requireFew(workflow, combinations + fanOut(plan));
    int[] runMillis = runMillis(handle, workflow);
    int unmeasured =
        (int) Arrays.stream(runMillis).filter(millis -> millis < 0).count()
            - lists.absent(handle, workflow.id());
    int[] measured = Arrays.stream(runMillis).map(millis -> Math.max(0, millis)).toArray();
    Chain chain = new StepChain(plan, measured, listed(handle, workflow)).longest();
    List<Integer> existing = existing(handle, workflow, plan, chain.steps());
    Map<Integer, PathLink> links = links(handle, workflow, plan, measured, shown(existing));
    return path(
        workflow,
        PathLevel.STEPS,
        chain.millis(),
        unmeasured,
        existing.stream().map(step -> links.getOrDefault(step, NONE)).toList());
  }

  // Numbers that stand for no step take no time, but may be in a chain.
  private List<Integer> existing(
      Handle handle, WorkflowRow workflow, WorkflowPlan plan, List<Integer> chain) {
    if (!plan.hasGivenLists()) {
      return chain;
    }
    List<TemplateRow> rows = templates.of(handle, workflow.id());
    return chain.stream()
        .filter(
            step -> {
              if (step >= plan.fixedSteps()) {
                return true;
              }
              PlannedTemplate planned = plan.ofFixed(step);
              return rows.get(planned.number()).has(planned, step);
            })
        .toList();
  }

  // Stands for links in the middle of a very long chain.
  private static final PathLink NONE = new PathLink(null, null, "", 0);

  // Each relation is followed once for each step on either side of it.
  private static long fanOut(WorkflowPlan plan) {
    long needs = 0;
    for (Relation relation : plan.relations()) {
      needs += plan.templates().get(relation.from()).size();
      needs += plan.templates().get(relation.to()).size();
    }
    return needs;
  }

  // By number of step; negative for those that never started.
  private int[] runMillis(Handle handle, WorkflowRow workflow) {
    int[] runMillis = new int[workflow.steps()];
    Arrays.fill(runMillis, -1);
    long now = time.now(handle).toEpochMilli();
    // Arrays of later resumptions have higher ids, and count.
    for (StepArray array : releases.withTemplates(handle, workflow.id())) {
      times.read(
          handle,
          array.array(),
          element -> {
            if (element.index() >= 0 && element.index() < runMillis.length) {
              long run = element.endedAt() == 0 ? now - element.startedAt() : element.runMillis();
              runMillis[(int) element.index()] =
                  (int) Math.max(0, Math.min(Integer.MAX_VALUE, run));
            }
          });
    }
    return runMillis;
  }

  private ListedNeeds listed(Handle handle, WorkflowRow workflow) {
    int count = workflow.listedSteps();
    int[] ofTemplates = new int[count];
    int[][] needs = new int[count][];
    Map<Integer, int[]> all = new HashMap<>();
    long sum = 0;
    int next = 0;
    while (next < count) {
      List<StepRow> page = steps.steps(handle, workflow.id(), next, ROWS);
      for (StepRow row : page) {
        int position = row.firstListed();
        for (StoredStep step : ListedSteps.decode(row.content())) {
          ofTemplates[position] = step.template();
          needs[position] = step.needs();
          sum += step.needs().length;
          if (step.all().length > 0) {
            all.put(position, step.all());
          }
          position++;
        }
        next = position;
        requireFew(workflow, sum);
      }
      if (page.isEmpty()) {
        throw new IllegalStateException(
            "workflow " + workflow.id() + " lacks listed steps from " + next + " on");
      }
    }
    return new ListedNeeds(ofTemplates, needs, all);
  }

  private static void requireFew(WorkflowRow workflow, long needs) {
    if (needs > MAX_NEEDS) {
      throw refuse(
          "the steps of workflow %d have more than %d needs; a chain of templates can be looked for (level=templates)"
              .formatted(workflow.id(), MAX_NEEDS));
    }
  }

  private static Set<Integer> shown(List<Integer> chain) {
    Set<Integer> shown = new LinkedHashSet<>();
    IntStream.range(0, chain.size())
        .filter(i -> isShown(i, chain.size()))
        .forEach(i -> shown.add(chain.get(i)));
    return shown;
  }

  private static boolean isShown(int position, int size) {
    return size <= MAX_LINKS || position < MAX_LINKS / 2 || position >= size - MAX_LINKS / 2;
  }

  private static Map<Integer, PathLink> links(
      Handle handle, WorkflowRow workflow, WorkflowPlan plan, int[] runMillis, Set<Integer> shown) {
    StepReader reader = new StepReader(handle, workflow);
    Map<Integer, PathLink> links = new HashMap<>();
    for (int step : shown) {
      String name = null;
      int template;
      if (step < workflow.fixedSteps()) {
        template = plan.ofFixed(step).number();
      } else {
        StoredStep stored = reader.read(step);
        template = stored.template();
        name = stored.name().isEmpty() ? null : stored.name();
      }
      links.put(
          step,
          new PathLink(
              step, name, plan.templates().get(template).name(), runMillis[step] / MILLIS));
    }
    return links;
  }

  private static CriticalPath path(
      WorkflowRow workflow, PathLevel level, long millis, int unmeasured, List<PathLink> links) {
    List<PathLink> shown =
        IntStream.range(0, links.size())
            .filter(i -> isShown(i, links.size()))
            .mapToObj(links::get)
            .toList();
    return new CriticalPath(
        workflow.id(), level, millis / MILLIS, unmeasured, shown, links.size() - shown.size());
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, rule);
  }
}
