package io.millrace.manager.workflow;

import io.millrace.api.workflow.TemplateGraph;
import io.millrace.api.workflow.WorkflowEvent.WorkflowHistory;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.StepProgress;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.api.workflow.WorkflowView.WorkflowPage;
import io.millrace.manager.job.NodeOfferDao;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;

/**
 * Shows workflows, from sums: however many steps they have. Thread-safe; blocks on the database.
 */
public final class WorkflowViews {
  private final Database database;
  private final WakeUps wakeUps;
  private final WorkflowDao workflows = new WorkflowDao();
  private final TemplateProgressReader progress;
  private final WorkflowRevisions revisions;

  WorkflowViews(Database database, WakeUps wakeUps, WorkflowRevisions revisions) {
    this.revisions = revisions;
    this.database = database;
    this.wakeUps = wakeUps;
    this.progress = new TemplateProgressReader(database.dialect());
  }

  /**
   * A page of workflows, newest first.
   *
   * @param states empty for all
   * @param name null for any
   * @param archived archived ones instead of the others
   * @param before only lower ids; null for the first page
   */
  public WorkflowPage list(
      Set<WorkflowState> states, String name, boolean archived, Long before, int limit) {
    Set<WorkflowState> wanted = states.isEmpty() ? EnumSet.allOf(WorkflowState.class) : states;
    List<WorkflowView> page =
        database.read(
            handle ->
                views(
                    handle,
                    workflows.page(
                        handle,
                        wanted,
                        name,
                        archived,
                        before == null ? Long.MAX_VALUE : before,
                        limit)));
    return new WorkflowPage(page, page.size() < limit ? null : page.get(page.size() - 1).id());
  }

  /**
   * A workflow with its templates.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_WORKFLOW
   */
  public WorkflowDetails details(long id) {
    return database.read(
        handle -> {
          WorkflowDetails details = progress.details(handle, read(handle, id));
          return details.workflow().state().ended()
              ? details
              : details.withWarnings(warnings(handle, details));
        });
  }

  private List<String> warnings(Handle handle, WorkflowDetails details) {
    WorkflowView workflow = details.workflow();
    Set<String> open = new HashSet<>();
    for (TemplateView template : details.templates()) {
      if (workflow.startedAt() == null
          || template.awaits() != null
          || template.progress().succeeded() < template.progress().steps()) {
        open.add(template.name());
      }
    }
    WorkflowSpec spec = revisions.read(handle, workflow.id(), workflow.revision()).spec();
    List<String> warnings = new ArrayList<>(WorkflowRules.warnings(spec, open::contains));
    warnings.addAll(
        new StepFeasibility(new NodeOfferDao().capacity(handle)).warnings(spec, open::contains));
    return warnings;
  }

  /**
   * The templates of a workflow with what they wait for.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_WORKFLOW; CONFLICT if its graph has not been
   *     checked
   */
  public TemplateGraph graph(long id) {
    return database.read(handle -> progress.graph(handle, read(handle, id)));
  }

  /**
   * What operators did to a workflow, the newest events, oldest first.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_WORKFLOW
   */
  public WorkflowHistory history(long id) {
    return database.read(
        handle -> {
          read(handle, id);
          return new WorkflowHistory(
              new WorkflowEventDao().newest(handle, id, WorkflowEventDao.MAX));
        });
  }

  /** A workflow; throws UNKNOWN_WORKFLOW. */
  public WorkflowView view(long id) {
    return database.read(handle -> read(handle, id));
  }

  /** A future that completes when the workflow has changed. */
  public CompletableFuture<Void> change(long id) {
    return wakeUps.workflow(id);
  }

  static WorkflowView read(Handle handle, long id) {
    return find(handle, id).orElseThrow(() -> WorkflowMessages.unknown(id));
  }

  /** A workflow in the caller's transaction; empty if there is none of that number. */
  public static Optional<WorkflowView> find(Handle handle, long id) {
    return new WorkflowDao().find(handle, id).map(row -> views(handle, List.of(row)).get(0));
  }

  private static List<WorkflowView> views(Handle handle, List<WorkflowRow> rows) {
    Map<Long, Integer> absent =
        new ListDao().absent(handle, rows.stream().map(WorkflowRow::id).toList());
    return rows.stream()
        .map(row -> view(row, row.steps() - absent.getOrDefault(row.id(), 0)))
        .toList();
  }

  private static WorkflowView view(WorkflowRow row, int steps) {
    return new WorkflowView(
        row.id(),
        row.name(),
        row.runKey(),
        row.owner(),
        row.state(),
        row.paused(),
        row.reason(),
        row.revision(),
        new StepProgress(
            steps,
            row.boundSteps(),
            steps - row.released(),
            row.open(),
            row.succeeded(),
            row.failed(),
            row.cancelled()),
        row.maxRunning(),
        row.submittedAt(),
        row.startedAt(),
        row.endedAt());
  }
}
