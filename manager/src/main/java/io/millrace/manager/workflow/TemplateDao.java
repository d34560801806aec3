package io.millrace.manager.workflow;

import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.JobColumns;
import io.millrace.platform.database.KeyList;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;

/** The table {@code workflow_template}: how far the steps of each template are. Stateless. */
final class TemplateDao {
  private static final KeyList KEYS = new KeyList("workflow_id", "template");

  /** A row, to be changed and written back under the lock of its workflow. Not thread-safe. */
  static final class TemplateRow {
    /** In place of the number of steps, until the list that makes them is given. */
    static final int UNKNOWN = -1;

    /**
     * In place of unmet templates, of a template that its list left without steps: all that it
     * needs has succeeded.
     */
    static final int PASSED = -1;

    private final long workflow;
    private final int template;
    private final String name;
    private final boolean listed;
    private final Integer maxRunning;
    int firstStep;
    int lastStep;
    int steps;

    /** Templates that it needs as a whole and that have not succeeded; the column {@code gate}. */
    int unmetTemplates;

    int released;
    int succeeded;
    int failed;
    int cancelled;
    Long array;

    TemplateRow(
        long workflow,
        int template,
        String name,
        boolean listed,
        int unmetTemplates,
        Integer maxRunning) {
      this.workflow = workflow;
      this.template = template;
      this.name = name;
      this.listed = listed;
      this.unmetTemplates = unmetTemplates;
      this.maxRunning = maxRunning;
    }

    long workflow() {
      return workflow;
    }

    int template() {
      return template;
    }

    String name() {
      return name;
    }

    boolean listed() {
      return listed;
    }

    /** Most steps of it that run at the same time; null for any number. */
    Integer maxRunning() {
      return maxRunning;
    }

    /** How many steps are known to exist. */
    int existing() {
      return Math.max(0, steps);
    }

    /**
     * Whether one of its numbers stands for a step: not if its list has fewer values, or is not
     * known.
     *
     * @param planned the template in the plan of the workflow
     */
    boolean has(PlannedTemplate planned, int step) {
      return planned.given() == null || step - planned.first() < existing();
    }

    /** How many of the steps that are known to exist have not ended. */
    int unended() {
      return existing() - succeeded - failed - cancelled;
    }

    /** Whether all its steps have succeeded; not while they are unknown. */
    boolean complete() {
      return succeeded == steps;
    }
  }

  void insert(Handle handle, List<TemplateRow> rows) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_template (workflow_id, template, name, listed, first_step,
                last_step, steps, gate, released, succeeded, failed, cancelled, max_running)
            values (:workflow, :template, :name, :listed, :first, :last, :steps, :gate, 0, 0, 0, 0,
                :maxRunning)
            """);
    for (TemplateRow row : rows) {
      batch
          .bind("workflow", row.workflow())
          .bind("template", row.template())
          .bind("name", row.name())
          .bind("listed", row.listed())
          .bind("first", row.firstStep)
          .bind("last", row.lastStep)
          .bind("steps", row.steps)
          .bind("gate", row.unmetTemplates)
          .bind("maxRunning", row.maxRunning())
          .add();
    }
    batch.execute();
  }

  /** All templates of a workflow, in the order of its definition. */
  List<TemplateRow> of(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select *
            from workflow_template
            where workflow_id = :workflow
            order by template
            """)
        .bind("workflow", workflow)
        .map((row, context) -> row(row))
        .list();
  }

  /** The templates of a workflow of which steps have failed. */
  List<TemplateRow> failed(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select *
            from workflow_template
            where workflow_id = :workflow and failed > 0
            order by template
            """)
        .bind("workflow", workflow)
        .map((row, context) -> row(row))
        .list();
  }

  /** Some templates of a workflow, by number. */
  Map<Integer, TemplateRow> find(Handle handle, long workflow, Collection<Integer> numbers) {
    Map<Integer, TemplateRow> found = new HashMap<>();
    if (!numbers.isEmpty()) {
      Query query =
          handle.createQuery(
              """
              select workflow_template.*
              from workflow_template <keys>
              """);
      KEYS.select(query, workflow, numbers)
          .map((row, context) -> row(row))
          .forEach(row -> found.put(row.template(), row));
    }
    return found;
  }

  void update(Handle handle, Collection<TemplateRow> rows) {
    if (rows.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update workflow_template
            set first_step = :first, last_step = :last, steps = :steps, gate = :gate,
                released = :released, succeeded = :succeeded, failed = :failed,
                cancelled = :cancelled, array_id = :array
            where workflow_id = :workflow and template = :template
            """);
    for (TemplateRow row : rows) {
      batch
          .bind("first", row.firstStep)
          .bind("last", row.lastStep)
          .bind("steps", row.steps)
          .bind("gate", row.unmetTemplates)
          .bind("released", row.released)
          .bind("succeeded", row.succeeded)
          .bind("failed", row.failed)
          .bind("cancelled", row.cancelled)
          .bind("array", row.array)
          .bind("workflow", row.workflow())
          .bind("template", row.template())
          .add();
    }
    batch.execute();
  }

  /** Lets the next steps that are released become elements of new arrays. */
  void forgetArrays(Handle handle, long workflow) {
    handle
        .createUpdate("update workflow_template set array_id = null where workflow_id = :workflow")
        .bind("workflow", workflow)
        .execute();
  }

  void limit(Handle handle, long workflow, int template, Integer most) {
    handle
        .createUpdate(
            """
            update workflow_template
            set max_running = :most
            where workflow_id = :workflow and template = :template
            """)
        .bind("most", most)
        .bind("workflow", workflow)
        .bind("template", template)
        .execute();
  }

  private static TemplateRow row(ResultSet row) throws SQLException {
    TemplateRow read =
        new TemplateRow(
            row.getLong("workflow_id"),
            row.getInt("template"),
            row.getString("name"),
            row.getBoolean("listed"),
            row.getInt("gate"),
            JobColumns.integer(row, "max_running"));
    read.firstStep = row.getInt("first_step");
    read.lastStep = row.getInt("last_step");
    read.steps = row.getInt("steps");
    read.released = row.getInt("released");
    read.succeeded = row.getInt("succeeded");
    read.failed = row.getInt("failed");
    read.cancelled = row.getInt("cancelled");
    read.array = JobColumns.number(row, "array_id");
    return read;
  }
}
