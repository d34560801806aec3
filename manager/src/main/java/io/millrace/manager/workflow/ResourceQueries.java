package io.millrace.manager.workflow;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.WorkflowResources;
import io.millrace.api.workflow.WorkflowResources.TemplateResources;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.manager.job.ElementUsageDao;
import io.millrace.manager.job.ElementUsageDao.ElementUsage;
import io.millrace.manager.job.ResourceAdjustmentDao;
import io.millrace.manager.job.ResourceAdjustmentDao.AdjustedElements;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Shows what the steps of workflows asked for and used (J-13), from sums of the arrays that they
 * were elements of. Thread-safe; blocks on the database.
 */
public final class ResourceQueries {
  private static final AdjustedElements NONE = new AdjustedElements(0, null, null);

  private final Database database;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();
  private final WorkflowRevisions revisions;
  private final ElementUsageDao usages = new ElementUsageDao();
  private final ResourceAdjustmentDao adjustments = new ResourceAdjustmentDao();

  ResourceQueries(Database database, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
  }

  /**
   * The resources of a workflow's templates, the most wasteful first.
   *
   * @param template only this one; null for all
   * @throws MillraceException UNKNOWN_WORKFLOW; INVALID_REQUEST for an unknown template
   */
  public WorkflowResources of(long workflow, String template) {
    return database.read(handle -> read(handle, workflow, template));
  }

  private WorkflowResources read(Handle handle, long id, String template) {
    WorkflowRow workflow =
        workflows.find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
    WorkflowSpec spec = revisions.read(handle, id, workflow.revision()).spec();
    List<TemplateRow> shown =
        templates.of(handle, id).stream()
            .filter(row -> template == null || row.name().equals(template))
            .toList();
    if (template != null && shown.isEmpty()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "workflow %d has no template '%s'; 'millrace workflow show %d' shows them"
              .formatted(id, ShownText.of(template), id));
    }
    Map<Integer, List<Long>> arrays = releases.arraysByTemplate(handle, id);
    List<Long> all =
        shown.stream()
            .flatMap(row -> arrays.getOrDefault(row.template(), List.of()).stream())
            .toList();
    Map<Long, ElementUsage> used = usages.of(handle, all);
    Map<Long, AdjustedElements> adjusted = adjustments.byArray(handle, all);
    List<TemplateResources> resources = new ArrayList<>(shown.size());
    for (TemplateRow row : shown) {
      JobSpec job = spec.templates().get(row.name()).job();
      ElementUsage sum = ElementUsage.NONE;
      AdjustedElements raised = NONE;
      for (long array : arrays.getOrDefault(row.template(), List.of())) {
        sum = sum.plus(used.getOrDefault(array, ElementUsage.NONE));
        raised = raised.plus(adjusted.getOrDefault(array, NONE));
      }
      resources.add(StepResources.of(row.name(), job, sum, raised));
    }
    resources.sort(
        Comparator.comparingDouble(TemplateResources::unusedMemoryHours)
            .thenComparingDouble(TemplateResources::unusedCpuHours)
            .reversed());
    return new WorkflowResources(id, workflow.name(), resources);
  }
}
