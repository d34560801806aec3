package io.millrace.manager.workflow;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.StepUsage;
import io.millrace.api.workflow.StepUsage.TemplateUsage;
import io.millrace.api.workflow.StepUsage.UsagePoint;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.UsedElements;
import io.millrace.manager.job.UsedElements.UsedElement;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.manager.workflow.WorkflowRevisions.WorkflowRevision;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/**
 * Shows what single steps of workflows used beside what they had asked for, at most {@link
 * StepUsage#MAX_POINTS}, however many there are (J-13). Thread-safe; blocks on the database.
 */
public final class UsageSamples {
  private static final int TEMPLATES = 20;
  private static final int ARRAYS = 5;

  private final Database database;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final UsedElements elements = new UsedElements();
  private final WorkflowRevisions revisions;

  UsageSamples(Database database, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
  }

  /**
   * A sample of the steps that succeeded and were measured.
   *
   * @param template only this one; null for those of which most steps succeeded
   * @throws MillraceException UNKNOWN_WORKFLOW; INVALID_REQUEST for an unknown template
   */
  public StepUsage of(long workflow, String template) {
    return database.read(handle -> read(handle, workflow, template));
  }

  private StepUsage read(Handle handle, long id, String template) {
    WorkflowRow workflow =
        workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    WorkflowRevision revision = revisions.read(handle, id, workflow.revision());
    List<TemplateRow> rows =
        templates.of(handle, id).stream()
            .filter(row -> template == null || row.name().equals(template))
            .toList();
    if (template != null && rows.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "workflow %d has no template '%s'; 'millrace workflow show %d' shows them"
              .formatted(id, ShownText.of(template), id));
    }
    List<TemplateRow> used = rows.stream().filter(row -> row.succeeded > 0).toList();
    List<TemplateRow> shown =
        used.stream()
            .sorted(Comparator.comparingInt((TemplateRow row) -> row.succeeded).reversed())
            .limit(TEMPLATES)
            .sorted(Comparator.comparingInt(TemplateRow::template))
            .toList();
    List<TemplateUsage> usages = new ArrayList<>();
    for (TemplateRow row : shown) {
      JobSpec job = revision.spec().templates().get(row.name()).job();
      usages.add(
          new TemplateUsage(
              row.name(),
              row.succeeded,
              job.timeout() == null ? null : job.timeout().toMillis(),
              points(handle, revision, row, job, StepUsage.MAX_POINTS / shown.size())));
    }
    return new StepUsage(id, usages, used.size() - shown.size());
  }

  private List<UsagePoint> points(
      Handle handle, WorkflowRevision revision, TemplateRow row, JobSpec job, int most) {
    PlannedTemplate planned = revision.plan().templates().get(row.template());
    int first = planned.listed() ? row.firstStep : planned.first();
    int last = planned.listed() ? row.lastStep : planned.first() + planned.size() - 1;
    Map<Integer, UsagePoint> points = new TreeMap<>();
    // The arrays of earlier tries have most of the steps that succeeded; retried steps come first.
    List<Long> arrays = releases.arraysOf(handle, row.workflow(), row.template());
    List<Long> newest = arrays.subList(Math.max(0, arrays.size() - ARRAYS), arrays.size());
    for (int i = newest.size() - 1; i >= 0 && points.size() < most; i--) {
      int left = (most - points.size()) / (i + 1);
      for (UsedElement one :
          elements.sample(handle, newest.get(i), first, last, Math.max(1, left))) {
        points.putIfAbsent((int) one.index(), point(job.memory(), one));
      }
    }
    return List.copyOf(points.values());
  }

  private static UsagePoint point(DataSize memory, UsedElement one) {
    Long asked = memory == null ? null : (Long) memory.bytes();
    return new UsagePoint(
        (int) one.index(),
        asked == null || one.askedBytes() == null ? asked : one.askedBytes(),
        one.memoryBytes(),
        one.cpuMillis(),
        one.runMillis());
  }
}
