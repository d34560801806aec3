package io.millrace.manager.workflow;

import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.StepNumbers.Packed;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The tables {@code workflow_reset} and {@code workflow_reset_part}: what is being set back, and
 * the steps of it that have not been yet. Stateless.
 */
final class ResetDao {
  /** What is set back. */
  enum ResetKind {
    /** What failed or was cancelled; then the run goes on. */
    RETRY,
    /** Steps that somebody named. */
    STEPS
  }

  /**
   * A reset that is being carried out; no step of the workflow is released meanwhile.
   *
   * @param ending whether steps that run are being ended first
   * @param revision the definition that the workflow is to run on with
   */
  record ResetRow(long workflow, ResetKind kind, boolean ending, int revision, String actor) {}

  /** Steps to set back. */
  @SuppressWarnings("ArrayRecordComponent") // never compared or changed
  record ResetPart(long id, int[] steps) {}

  void insert(Handle handle, ResetRow reset, List<Packed> parts) {
    handle
        .createUpdate(
            """
            insert into workflow_reset (workflow_id, kind, ending, revision, actor)
            values (:workflow, :kind, :ending, :revision, :actor)
            """)
        .bind("workflow", reset.workflow())
        .bind("kind", reset.kind().name())
        .bind("ending", reset.ending())
        .bind("revision", reset.revision())
        .bind("actor", reset.actor())
        .execute();
    if (parts.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_reset_part (workflow_id, steps, numbers)
            values (:workflow, :steps, :numbers)
            """);
    for (Packed part : parts) {
      batch
          .bind("workflow", reset.workflow())
          .bind("steps", part.steps())
          .bind("numbers", part.bytes())
          .add();
    }
    batch.execute();
  }

  Optional<ResetRow> find(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select workflow_id as workflow, kind, ending, revision, actor
            from workflow_reset
            where workflow_id = :workflow
            """)
        .bind("workflow", workflow)
        .map(ConstructorMapper.of(ResetRow.class))
        .findOne();
  }

  /** Records that nothing of it runs any more. */
  void ended(Handle handle, long workflow) {
    handle
        .createUpdate("update workflow_reset set ending = false where workflow_id = :workflow")
        .bind("workflow", workflow)
        .execute();
  }

  /** Parts after that one, by rising id. */
  List<ResetPart> parts(Handle handle, long workflow, long after, int limit) {
    return handle
        .createQuery(
            """
            select id, numbers
            from workflow_reset_part
            where workflow_id = :workflow and id > :after
            order by workflow_id, id
            limit :limit
            """)
        .bind("workflow", workflow)
        .bind("after", after)
        .bind("limit", limit)
        .map(
            (row, context) ->
                new ResetPart(row.getLong("id"), StepNumbers.unpack(row.getBytes("numbers"))))
        .list();
  }

  /** How many steps have still to be set back. */
  int left(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select coalesce(sum(steps), 0)
            from workflow_reset_part
            where workflow_id = :workflow
            """)
        .bind("workflow", workflow)
        .mapTo(Integer.class)
        .one();
  }

  void deletePart(Handle handle, long part) {
    handle
        .createUpdate("delete from workflow_reset_part where id = :id")
        .bind("id", part)
        .execute();
  }

  /** Ends it, wherever it stands; what it has set back stays so. */
  void delete(Handle handle, long workflow) {
    for (String statement :
        List.of(
            "delete from workflow_reset where workflow_id = :workflow",
            "delete from workflow_reset_part where workflow_id = :workflow")) {
      handle.createUpdate(statement).bind("workflow", workflow).execute();
    }
  }
}
