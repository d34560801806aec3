package io.millrace.manager.workflow;

import io.millrace.api.workflow.WorkflowEvent;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.job.JobColumns;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * What operators did to workflows ({@code workflow_event}): who, when, what, and to which steps.
 * Stateless.
 */
final class WorkflowEventDao {
  /** The most events of a workflow that are kept; older ones are deleted. */
  static final int MAX = 1000;

  private static final int[] NONE = {};

  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  private record EventRow(WorkflowEvent event, byte[] numbers) {}

  /**
   * Records an event.
   *
   * @param steps those that were named, rising; empty if it concerns the whole workflow
   */
  void add(Handle handle, long workflow, String actor, String words, int[] steps, Instant now) {
    handle
        .createUpdate(
            """
            insert into workflow_event (workflow_id, happened_at, actor, words, numbers)
            values (:workflow, :now, :actor, :words, :numbers)
            """)
        .bind("workflow", workflow)
        .bind("now", now)
        .bind("actor", actor)
        .bind("words", JobColumns.ColumnText.start(words))
        .bind("numbers", steps.length == 0 ? null : StepNumbers.packWhole(steps))
        .execute();
    handle
        .createUpdate(
            """
            delete from workflow_event
            where workflow_id = :workflow and id <= (
                select oldest
                from (
                    select id as oldest
                    from workflow_event
                    where workflow_id = :workflow
                    order by id desc
                    limit 1 offset :kept) as too_many)
            """)
        .bind("workflow", workflow)
        .bind("kept", MAX)
        .execute();
  }

  void add(Handle handle, long workflow, String actor, String words, Instant now) {
    add(handle, workflow, actor, words, NONE, now);
  }

  /** The newest events, oldest of them first. */
  List<WorkflowEvent> newest(Handle handle, long workflow, int limit) {
    return rows(handle, workflow, limit).stream().map(EventRow::event).toList();
  }

  /** Those of the newest events that name the step, oldest first. */
  List<WorkflowEvent> of(Handle handle, long workflow, int step, int limit) {
    return rows(handle, workflow, limit).stream()
        .filter(
            row ->
                row.numbers() != null
                    && Arrays.stream(StepNumbers.unpack(row.numbers())).anyMatch(n -> n == step))
        .map(EventRow::event)
        .toList();
  }

  private static List<EventRow> rows(Handle handle, long workflow, int limit) {
    return handle
        .createQuery(
            """
            select happened_at, actor, words, numbers
            from (
                select id, happened_at, actor, words, numbers
                from workflow_event
                where workflow_id = :workflow
                order by workflow_id desc, id desc
                limit :limit) as newest
            order by id
            """)
        .bind("workflow", workflow)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new EventRow(
                    new WorkflowEvent(
                        JobColumns.instant(row, "happened_at"),
                        row.getString("actor"),
                        row.getString("words")),
                    row.getBytes("numbers")))
        .list();
  }
}
