package io.millrace.manager.workflow;

import io.millrace.api.workflow.StepTimeline;
import io.millrace.api.workflow.StepTimeline.TemplateCurve;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.ElementTimes;
import io.millrace.manager.job.ElementTimes.ElementTime;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * How many steps of a workflow ran when (J-05: monitor). Of very many steps only some blocks are
 * read, evenly spread, and counted for the others. Thread-safe; blocks on the database.
 */
public final class StepTimelines {
  private static final int INTERVALS = 200;
  private static final int TEMPLATES = 50;
  private static final int READ_STEPS = 100_000;

  private final Database database;
  private final DatabaseTime time;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final ElementTimes times = new ElementTimes();
  private final WorkflowRevisions revisions;

  StepTimelines(Database database, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
  }

  /**
   * The timeline of a workflow up to now, or to its end.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_WORKFLOW; CONFLICT if it has not started
   */
  public StepTimeline of(long workflow) {
    return database.read(handle -> of(handle, workflow));
  }

  private StepTimeline of(Handle handle, long id) {
    WorkflowRow workflow =
        workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    if (workflow.startedAt() == null) {
      throw WorkflowMessages.conflict(workflow, "its graph has not been checked");
    }
    Instant end = workflow.endedAt() == null ? time.now(handle) : workflow.endedAt();
    long from = workflow.startedAt().toEpochMilli();
    long length = Math.max(1, end.toEpochMilli() - from);
    long interval = (length + INTERVALS - 1) / INTERVALS;
    int count = (int) ((length + interval - 1) / interval);
    int oneIn = Math.max(1, (workflow.steps() + READ_STEPS - 1) / READ_STEPS);
    WorkflowPlan plan = revisions.read(handle, id, workflow.revision()).plan();
    Map<Integer, Curve> curves = new LinkedHashMap<>();
    List<TemplateRow> rows = templates.of(handle, id);
    rows.stream()
        .sorted(Comparator.comparingInt((TemplateRow row) -> row.steps).reversed())
        .limit(TEMPLATES)
        .sorted(Comparator.comparingInt(TemplateRow::template))
        .forEach(
            row ->
                curves.put(
                    row.template(), new Curve(row, from, end.toEpochMilli(), interval, count)));
    for (StepArray array : releases.withTemplates(handle, id)) {
      Curve curve = curves.get(array.template());
      if (curve != null) {
        PlannedTemplate planned = plan.templates().get(array.template());
        TemplateRow row = curve.row;
        int first = planned.listed() ? row.firstStep : planned.first();
        int last = planned.listed() ? row.lastStep : planned.first() + row.existing() - 1;
        times.sample(handle, array.array(), first, last, oneIn, curve::add);
      }
    }
    return new StepTimeline(
        id,
        workflow.startedAt(),
        interval,
        oneIn,
        curves.values().stream().map(Curve::view).toList(),
        rows.size() - curves.size());
  }

  /** The running steps of a template: for each interval, the milliseconds that they ran in it. */
  private static final class Curve {
    private final TemplateRow row;
    private final long from;
    private final long end;
    private final long interval;
    private final double[] millis;

    Curve(TemplateRow row, long from, long end, long interval, int count) {
      this.row = row;
      this.from = from;
      this.end = end;
      this.interval = interval;
      this.millis = new double[count];
    }

    void add(ElementTime step, int weight) {
      long started = Math.max(step.startedAt(), from) - from;
      long ended = Math.min(step.endedAt() == 0 ? end : step.endedAt(), end) - from;
      for (int i = (int) (started / interval); i < millis.length && i * interval < ended; i++) {
        long inside = Math.min(ended, (i + 1) * interval) - Math.max(started, i * interval);
        millis[i] += (double) inside * weight;
      }
    }

    TemplateCurve view() {
      List<Double> running = new ArrayList<>(millis.length);
      Arrays.stream(millis).forEach(sum -> running.add(Math.round(sum / interval * 10) / 10.0));
      return new TemplateCurve(row.name(), running);
    }
  }
}
