package io.millrace.manager.workflow;

import io.millrace.api.job.JobState;
import io.millrace.api.workflow.TemplateGraph;
import io.millrace.api.workflow.TemplateGraph.TemplateEdge;
import io.millrace.api.workflow.TemplateGraph.TemplateNode;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.AwaitedList;
import io.millrace.api.workflow.WorkflowView.ExpectedEnd;
import io.millrace.api.workflow.WorkflowView.PendingReset;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplatePause;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.manager.graph.TemplateEdges;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import io.millrace.manager.job.ArrayJobDao;
import io.millrace.manager.job.ElementTimes;
import io.millrace.manager.job.ElementTimes.RunSum;
import io.millrace.manager.workflow.ListDao.ListRow;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.ResetDao.ResetRow;
import io.millrace.manager.workflow.RunForecast.TemplateProgress;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.database.Dialect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * How far the templates of a workflow are, what they wait for and when they are expected to end;
 * from sums, and from the live jobs of their arrays, which slots bound. Thread-safe.
 */
final class TemplateProgressReader {
  private static final int ARRAYS = 500;
  private static final int SAMPLED = 100;
  private static final int EVENTS = 10;
  private static final Set<JobState> RUNNING = Set.of(JobState.RUNNING);

  private final DatabaseTime time;
  private final WorkflowDao workflows = new WorkflowDao();
  private final ResetDao resets = new ResetDao();
  private final WorkflowEventDao events = new WorkflowEventDao();
  private final TemplateDao templates = new TemplateDao();
  private final EdgeDao edges = new EdgeDao();
  private final ListDao lists = new ListDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ArrayJobDao arrayJobs = new ArrayJobDao();
  private final ElementTimes times = new ElementTimes();
  private final TemplateBreakers breakers = new TemplateBreakers();

  TemplateProgressReader(Dialect dialect) {
    this.time = new DatabaseTime(dialect);
  }

  WorkflowDetails details(Handle handle, WorkflowView workflow) {
    List<TemplateRow> rows = templates.of(handle, workflow.id());
    return details(handle, workflow, rows, edges.of(handle, workflow.id()));
  }

  private WorkflowDetails details(
      Handle handle, WorkflowView workflow, List<TemplateRow> rows, List<EdgeRow> known) {
    Map<Integer, Integer> running = running(handle, workflow.id(), rows);
    Map<Integer, ListRow> given = lists.of(handle, workflow.id());
    List<ExpectedEnd> ends = new ArrayList<>();
    ExpectedEnd whole = null;
    if (workflow.state() == WorkflowState.RUNNING) {
      if (workflow.paused()) {
        whole = new ExpectedEnd(null, "it is paused");
      } else {
        RunForecast forecast =
            new RunForecast(
                progress(rows, running, given, means(handle, workflow.id(), rows)),
                new TemplateEdges(rows.size(), known));
        Instant now = time.now(handle);
        ends = forecast.ends(now);
        whole = forecast.end(now);
      }
    }
    Map<Integer, TemplateBreaker> paused =
        workflows
            .find(handle, workflow.id())
            .map(row -> breakers.effective(handle, row.id(), row.epoch(), row.failed()))
            .orElseGet(Map::of);
    List<TemplateView> views = new ArrayList<>();
    for (TemplateRow row : rows) {
      views.add(
          view(
              row,
              running.getOrDefault(row.template(), 0),
              ends.isEmpty() ? null : ends.get(row.template()),
              TemplateBreakers.pause(row, paused),
              awaits(given, row, rows)));
    }
    return new WorkflowDetails(
        workflow,
        views,
        whole,
        workflows.archivedAt(handle, workflow.id()).orElse(null),
        resets.find(handle, workflow.id()).map(reset -> pending(handle, reset)).orElse(null),
        events.newest(handle, workflow.id(), EVENTS),
        List.of());
  }

  private PendingReset pending(Handle handle, ResetRow reset) {
    return new PendingReset(reset.actor(), reset.ending(), resets.left(handle, reset.workflow()));
  }

  private static int open(TemplateRow row) {
    return row.released - row.succeeded - row.failed - row.cancelled;
  }

  // By template. After a hot resumption, elements of several arrays run.
  private Map<Integer, Integer> running(Handle handle, long workflow, List<TemplateRow> rows) {
    Map<Long, Integer> templatesOf = new TreeMap<>();
    if (rows.stream().anyMatch(row -> open(row) > 0)) {
      for (StepArray array : releases.withTemplates(handle, workflow)) {
        if (open(rows.get(array.template())) > 0) {
          templatesOf.put(array.array(), array.template());
        }
      }
    }
    List<Long> arrays = List.copyOf(templatesOf.keySet());
    Map<Integer, Integer> running = new HashMap<>();
    for (int from = 0; from < arrays.size(); from += ARRAYS) {
      arrayJobs
          .count(handle, arrays.subList(from, Math.min(arrays.size(), from + ARRAYS)), RUNNING)
          .forEach(
              (array, counts) ->
                  running.merge(
                      templatesOf.get(array), counts.get(JobState.RUNNING), Integer::sum));
    }
    return running;
  }

  private static List<TemplateProgress> progress(
      List<TemplateRow> rows,
      Map<Integer, Integer> running,
      Map<Integer, ListRow> given,
      Map<Integer, Long> means) {
    return rows.stream()
        .map(
            row ->
                new TemplateProgress(
                    row.name(),
                    isAwaited(given, row)
                        ? 1
                        : row.steps - row.succeeded - row.failed - row.cancelled,
                    row.failed + row.cancelled,
                    running.getOrDefault(row.template(), 0),
                    row.maxRunning(),
                    means.getOrDefault(row.template(), -1L),
                    isAwaited(given, row)))
        .toList();
  }

  private static boolean isAwaited(Map<Integer, ListRow> given, TemplateRow row) {
    return given.containsKey(row.template()) && !given.get(row.template()).known();
  }

  private static AwaitedList awaits(
      Map<Integer, ListRow> given, TemplateRow row, List<TemplateRow> rows) {
    if (!isAwaited(given, row)) {
      return null;
    }
    ListRow list = given.get(row.template());
    return new AwaitedList(rows.get(list.giver()).name(), list.name(), list.max(), list.problem());
  }

  /** The mean run time of the steps of each template that were measured, in milliseconds. */
  Map<Integer, Long> means(Handle handle, long workflow, List<TemplateRow> rows) {
    List<StepArray> arrays = releases.withTemplates(handle, workflow);
    Map<Long, RunSum> sums = times.sums(handle, arrays.stream().map(StepArray::array).toList());
    Map<Integer, RunSum> byTemplate = new HashMap<>();
    for (StepArray array : arrays) {
      RunSum sum = sums.get(array.array());
      if (sum != null) {
        byTemplate.merge(array.template(), sum, RunSum::plus);
      }
    }
    Map<Integer, Long> means = new HashMap<>();
    byTemplate.forEach(
        (template, sum) ->
            means.put(template, Math.round((double) sum.runMillis() / sum.elements())));
    int sampled = 0;
    for (TemplateRow row : rows) {
      boolean unknown = !means.containsKey(row.template()) && row.succeeded > 0;
      if (unknown && row.array != null && sampled < SAMPLED) {
        sampled++;
        OptionalLong mean = times.sampleMean(handle, row.array);
        mean.ifPresent(millis -> means.put(row.template(), millis));
      }
    }
    return means;
  }

  TemplateGraph graph(Handle handle, WorkflowView workflow) {
    if (workflow.startedAt() == null) {
      throw WorkflowMessages.conflict(workflow, "its graph has not been checked");
    }
    List<TemplateRow> rows = templates.of(handle, workflow.id());
    List<EdgeRow> known = edges.of(handle, workflow.id());
    TemplateEdges order = new TemplateEdges(rows.size(), known);
    List<TemplateView> views = details(handle, workflow, rows, known).templates();
    List<TemplateNode> nodes = new ArrayList<>();
    for (TemplateRow row : rows) {
      nodes.add(new TemplateNode(views.get(row.template()), order.layer(row.template())));
    }
    return new TemplateGraph(
        workflow.id(),
        nodes,
        known.stream()
            .map(
                edge ->
                    new TemplateEdge(
                        rows.get(edge.from()).name(),
                        rows.get(edge.to()).name(),
                        edge.kind(),
                        edge.steps()))
            .toList(),
        known.size() < TemplateEdges.MAX);
  }

  private static TemplateView view(
      TemplateRow row, int running, ExpectedEnd end, TemplatePause pause, AwaitedList awaits) {
    int released = open(row);
    return new TemplateView(
        row.name(),
        new StepProgress(
            row.existing(),
            row.listed() ? row.steps : 0,
            row.existing() - row.released,
            released,
            row.succeeded,
            row.failed,
            row.cancelled),
        row.maxRunning(),
        row.array,
        // The state of a step may be behind that of its job.
        Math.min(running, released),
        end,
        pause,
        awaits);
  }
}
