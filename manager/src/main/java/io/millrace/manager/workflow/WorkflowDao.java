package io.millrace.manager.workflow;

import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.job.JobColumns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** The tables {@code workflow} and {@code workflow_revision}. Stateless. */
final class WorkflowDao {
  /**
   * A row.
   *
   * @param fixedSteps steps that lists make
   * @param listedSteps steps that are listed one by one
   * @param boundSteps how many of those have been received
   * @param released steps that were released, ended ones included
   * @param maxRunning null for any number
   * @param endsAt when it is cancelled for its timeout; null for never
   */
  record WorkflowRow(
      long id,
      String owner,
      String name,
      String runKey,
      WorkflowState state,
      String reason,
      boolean paused,
      int revision,
      int epoch,
      int fixedSteps,
      int listedSteps,
      int boundSteps,
      int released,
      int succeeded,
      int failed,
      int cancelled,
      Integer maxRunning,
      Instant endsAt,
      Instant submittedAt,
      Instant startedAt,
      Instant endedAt) {
    /** The row of a workflow that has just been submitted. */
    static WorkflowRow submitted(
        String owner,
        String name,
        String runKey,
        WorkflowState state,
        int fixedSteps,
        int listedSteps,
        Integer maxRunning,
        Instant now) {
      return new WorkflowRow(
          0,
          owner,
          name,
          runKey,
          state,
          null,
          false,
          1,
          1,
          fixedSteps,
          listedSteps,
          0,
          0,
          0,
          0,
          0,
          maxRunning,
          null,
          now,
          null,
          null);
    }

    int steps() {
      return fixedSteps + listedSteps;
    }

    WorkflowRow with(int released, int succeeded, int failed, int cancelled) {
      return new WorkflowRow(
          id,
          owner,
          name,
          runKey,
          state,
          reason,
          paused,
          revision,
          epoch,
          fixedSteps,
          listedSteps,
          boundSteps,
          released,
          succeeded,
          failed,
          cancelled,
          maxRunning,
          endsAt,
          submittedAt,
          startedAt,
          endedAt);
    }

    /** Released steps that have not ended. */
    int open() {
      return released - succeeded - failed - cancelled;
    }
  }

  long insert(Handle handle, WorkflowRow row, String identity) {
    return handle
        .createUpdate(
            """
            insert into workflow (owner, name, run_key, identity, state, paused, revision, epoch,
                fixed_steps, listed_steps, bound_steps, released, succeeded, failed, cancelled,
                max_running, ends_at, submitted_at)
            values (:owner, :name, :runKey, :identity, :state, :paused, 1, 1, :fixed, :listed, 0,
                0, 0, 0, 0, :maxRunning, :endsAt, :submittedAt)
            """)
        .bind("owner", row.owner())
        .bind("name", row.name())
        .bind("runKey", row.runKey())
        .bind("identity", identity)
        .bind("state", row.state().name())
        .bind("paused", row.paused())
        .bind("fixed", row.fixedSteps())
        .bind("listed", row.listedSteps())
        .bind("maxRunning", row.maxRunning())
        .bind("endsAt", row.endsAt())
        .bind("submittedAt", row.submittedAt())
        .executeAndReturnGeneratedKeys("id")
        .mapTo(Long.class)
        .one();
  }

  Optional<Long> withIdentity(Handle handle, String identity) {
    return handle
        .createQuery("select id from workflow where identity = :identity")
        .bind("identity", identity)
        .mapTo(Long.class)
        .findOne();
  }

  String identity(Handle handle, long workflow) {
    return handle
        .createQuery("select identity from workflow where id = :id")
        .bind("id", workflow)
        .mapTo(String.class)
        .one();
  }

  Optional<WorkflowRow> find(Handle handle, long workflow) {
    return handle
        .createQuery("select * from workflow where id = :id")
        .bind("id", workflow)
        .map((row, context) -> row(row))
        .findOne();
  }

  Optional<WorkflowRow> lock(Handle handle, long workflow) {
    return handle
        .createQuery("select * from workflow where id = :id for update")
        .bind("id", workflow)
        .map((row, context) -> row(row))
        .findOne();
  }

  /** The rows of workflows in these states with ids above that one, by rising id. */
  List<WorkflowRow> live(Handle handle, Collection<WorkflowState> states, long after, int limit) {
    return handle
        .createQuery(
            """
            select *
            from workflow
            where state in (<states>) and id > :after
            order by id
            limit :limit
            """)
        .bindList("states", states.stream().map(WorkflowState::name).toList())
        .bind("after", after)
        .bind("limit", limit)
        .map((row, context) -> row(row))
        .list();
  }

  /**
   * A page, newest first.
   *
   * @param name null for any
   * @param archived archived ones instead of the others
   * @param before only lower ids
   */
  List<WorkflowRow> page(
      Handle handle,
      Collection<WorkflowState> states,
      String name,
      boolean archived,
      long before,
      int limit) {
    return handle
        .createQuery(
            """
            select *
            from workflow
            where state in (<states>) and id < :before and (:name is null or name = :name)
                and (id in (select workflow_id from workflow_archive)) = :archived
            order by id desc
            limit :limit
            """)
        .bind("archived", archived)
        .bindList("states", states.stream().map(WorkflowState::name).toList())
        .bind("before", before)
        .bind("name", name)
        .bind("limit", limit)
        .map((row, context) -> row(row))
        .list();
  }

  /** Changes the state from the one that is expected; returns whether it was so. */
  boolean change(
      Handle handle, WorkflowRow from, WorkflowState to, String reason, Instant endedAt) {
    return handle
            .createUpdate(
                """
                update workflow
                set state = :to, reason = :reason, ended_at = :endedAt
                where id = :id and state = :from
                """)
            .bind("to", to.name())
            .bind("reason", JobColumns.ColumnText.start(reason))
            .bind("endedAt", endedAt)
            .bind("id", from.id())
            .bind("from", from.state().name())
            .execute()
        == 1;
  }

  /** Makes it run; false if its graph is not, or no more, being checked. */
  boolean started(Handle handle, long workflow, Instant now, Instant endsAt) {
    return handle
            .createUpdate(
                """
                update workflow
                set state = 'RUNNING', reason = null, started_at = :now, ends_at = :endsAt
                where id = :id and state = 'CHECKING'
                """)
            .bind("now", now)
            .bind("endsAt", endsAt)
            .bind("id", workflow)
            .execute()
        == 1;
  }

  /** Makes the identity of a refused workflow free. */
  void forgetIdentity(Handle handle, long workflow) {
    handle
        .createUpdate("update workflow set identity = null where id = :id")
        .bind("id", workflow)
        .execute();
  }

  void bound(Handle handle, long workflow, int steps) {
    handle
        .createUpdate("update workflow set bound_steps = :steps where id = :id")
        .bind("steps", steps)
        .bind("id", workflow)
        .execute();
  }

  /** Writes sums of ended and released steps; returns the row as it is then. */
  WorkflowRow counted(
      Handle handle, WorkflowRow row, int released, int succeeded, int failed, int cancelled) {
    handle
        .createUpdate(
            """
            update workflow
            set released = :released, succeeded = :succeeded, failed = :failed,
                cancelled = :cancelled
            where id = :id
            """)
        .bind("released", released)
        .bind("succeeded", succeeded)
        .bind("failed", failed)
        .bind("cancelled", cancelled)
        .bind("id", row.id())
        .execute();
    return row.with(released, succeeded, failed, cancelled);
  }

  void pause(Handle handle, long workflow, boolean paused) {
    handle
        .createUpdate("update workflow set paused = :paused where id = :id")
        .bind("paused", paused)
        .bind("id", workflow)
        .execute();
  }

  void limit(Handle handle, long workflow, Integer most) {
    handle
        .createUpdate("update workflow set max_running = :most where id = :id")
        .bind("most", most)
        .bind("id", workflow)
        .execute();
  }

  /** Records that it runs again with that definition. */
  void resumed(Handle handle, WorkflowRow row, int revision, Instant endsAt) {
    handle
        .createUpdate(
            """
            update workflow
            set state = 'RUNNING', reason = null, ended_at = null, revision = :revision,
                epoch = epoch + 1, ends_at = :endsAt
            where id = :id and state = :state
            """)
        .bind("revision", revision)
        .bind("endsAt", endsAt)
        .bind("id", row.id())
        .bind("state", row.state().name())
        .execute();
  }

  /**
   * About when an epoch began: when its first steps were released, or when somebody did something
   * to it last. Empty if neither is known.
   */
  Optional<Instant> epochBegan(Handle handle, long workflow, int epoch) {
    return handle
        .createQuery(
            """
            select coalesce(
                (select min(j.submitted_at)
                    from workflow_array a
                    join job j on j.id = a.array_id
                    where a.workflow_id = :workflow and a.epoch = :epoch),
                (select max(happened_at) from workflow_event where workflow_id = :workflow)
                ) as began
            """)
        .bind("workflow", workflow)
        .bind("epoch", epoch)
        .map((row, context) -> Optional.ofNullable(JobColumns.instant(row, "began")))
        .one();
  }

  /** Lets lists not show it; changes nothing if they do not. */
  void archive(Handle handle, long workflow, String actor, Instant now) {
    handle
        .createUpdate(
            """
            insert ignore into workflow_archive (workflow_id, archived_at, actor)
            values (:workflow, :now, :actor)
            """)
        .bind("workflow", workflow)
        .bind("now", now)
        .bind("actor", actor)
        .execute();
  }

  /** Lets lists show it again; returns whether they did not. */
  boolean unarchive(Handle handle, long workflow) {
    return handle
            .createUpdate("delete from workflow_archive where workflow_id = :workflow")
            .bind("workflow", workflow)
            .execute()
        == 1;
  }

  Optional<Instant> archivedAt(Handle handle, long workflow) {
    return handle
        .createQuery("select archived_at from workflow_archive where workflow_id = :workflow")
        .bind("workflow", workflow)
        .map((row, context) -> JobColumns.instant(row, "archived_at"))
        .findOne();
  }

  /** Workflows that ended, or began to be submitted and never were, before that time. */
  List<Long> old(Handle handle, Instant before, int limit) {
    return handle
        .createQuery(
            """
            select id
            from workflow
            where ended_at < :before
            union
            select id
            from workflow
            where state = 'BINDING' and submitted_at < :before
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .mapTo(Long.class)
        .list();
  }

  /** Deletes the rows of a workflow whose steps are deleted. */
  void delete(Handle handle, long workflow) {
    for (String statement :
        List.of(
            "delete from workflow_array where workflow_id = :id",
            "delete from workflow_breaker where workflow_id = :id",
            "delete from workflow_reset where workflow_id = :id",
            "delete from workflow_archive where workflow_id = :id",
            "delete from workflow_submission where workflow_id = :id",
            "delete from workflow_template where workflow_id = :id",
            "delete from workflow_revision where workflow_id = :id",
            "delete from workflow where id = :id")) {
      handle.createUpdate(statement).bind("id", workflow).execute();
    }
  }

  void insertRevision(
      Handle handle, long workflow, int revision, String author, Instant now, String spec) {
    handle
        .createUpdate(
            """
            insert into workflow_revision (workflow_id, revision, author, created_at, spec)
            values (:id, :revision, :author, :now, :spec)
            """)
        .bind("id", workflow)
        .bind("revision", revision)
        .bind("author", author)
        .bind("now", now)
        .bind("spec", spec)
        .execute();
  }

  /** The highest number of a revision, which need not be in force. */
  int newestRevision(Handle handle, long workflow) {
    return handle
        .createQuery("select max(revision) from workflow_revision where workflow_id = :id")
        .bind("id", workflow)
        .mapTo(Integer.class)
        .one();
  }

  String spec(Handle handle, long workflow, int revision) {
    return handle
        .createQuery(
            """
            select spec
            from workflow_revision
            where workflow_id = :id and revision = :revision
            """)
        .bind("id", workflow)
        .bind("revision", revision)
        .mapTo(String.class)
        .one();
  }

  private static WorkflowRow row(ResultSet row) throws SQLException {
    return new WorkflowRow(
        row.getLong("id"),
        row.getString("owner"),
        row.getString("name"),
        row.getString("run_key"),
        WorkflowState.valueOf(row.getString("state")),
        row.getString("reason"),
        row.getBoolean("paused"),
        row.getInt("revision"),
        row.getInt("epoch"),
        row.getInt("fixed_steps"),
        row.getInt("listed_steps"),
        row.getInt("bound_steps"),
        row.getInt("released"),
        row.getInt("succeeded"),
        row.getInt("failed"),
        row.getInt("cancelled"),
        JobColumns.integer(row, "max_running"),
        JobColumns.instant(row, "ends_at"),
        JobColumns.instant(row, "submitted_at"),
        JobColumns.instant(row, "started_at"),
        JobColumns.instant(row, "ended_at"));
  }
}
