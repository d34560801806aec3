package io.millrace.manager.workflow;

import io.millrace.api.Json;
import io.millrace.manager.graph.GivenLists.KnownLists;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.job.JobColumns;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code workflow_list}: lists that steps give to templates. Stateless. */
final class ListDao {
  /**
   * A row.
   *
   * @param giver the template whose step gives the list
   * @param name of the value
   * @param max the most values
   * @param known whether the list was given
   * @param problem why what the step gave is not such a list; null for none
   */
  record ListRow(int template, int giver, String name, int max, boolean known, String problem) {}

  /** Records the templates whose lists are not known yet. */
  void insert(Handle handle, long workflow, List<PlannedTemplate> takers) {
    if (takers.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_list (workflow_id, template, giver, name, max_values, absent)
            values (:workflow, :template, :giver, :name, :max, :absent)
            """);
    for (PlannedTemplate taker : takers) {
      batch
          .bind("workflow", workflow)
          .bind("template", taker.number())
          .bind("giver", taker.given().from())
          .bind("name", taker.given().value())
          .bind("max", taker.given().max())
          .bind("absent", taker.size())
          .add();
    }
    batch.execute();
  }

  /** Records a list. */
  void known(Handle handle, long workflow, int template, int absent, List<String> values) {
    handle
        .createUpdate(
            """
            update workflow_list
            set absent = :absent, content = :content, problem = null
            where workflow_id = :workflow and template = :template
            """)
        .bind("absent", absent)
        .bind("content", Json.write(values))
        .bind("workflow", workflow)
        .bind("template", template)
        .execute();
  }

  /** Records why what a step gave is not a list that the template may take; null for nothing. */
  void refused(Handle handle, long workflow, int template, String problem) {
    handle
        .createUpdate(
            """
            update workflow_list
            set problem = :problem
            where workflow_id = :workflow and template = :template
            """)
        .bind("problem", JobColumns.ColumnText.start(problem))
        .bind("workflow", workflow)
        .bind("template", template)
        .execute();
  }

  /** The rows of a workflow, by template. */
  Map<Integer, ListRow> of(Handle handle, long workflow) {
    Map<Integer, ListRow> rows = new HashMap<>();
    handle
        .createQuery(
            """
            select template, giver, name, max_values, content is not null as known, problem
            from workflow_list
            where workflow_id = :workflow
            """)
        .bind("workflow", workflow)
        .map(
            (row, context) ->
                new ListRow(
                    row.getInt("template"),
                    row.getInt("giver"),
                    row.getString("name"),
                    row.getInt("max_values"),
                    row.getBoolean("known"),
                    row.getString("problem")))
        .forEach(row -> rows.put(row.template(), row));
    return rows;
  }

  /** The values of a list; empty if it is not known. */
  Optional<List<String>> values(Handle handle, long workflow, int template) {
    return handle
        .createQuery(
            """
            select content
            from workflow_list
            where workflow_id = :workflow and template = :template and content is not null
            """)
        .bind("workflow", workflow)
        .bind("template", template)
        .mapTo(String.class)
        .findOne()
        .map(content -> List.of(Json.read(content, String[].class)));
  }

  /** The lists of a workflow that are known. */
  KnownLists known(Handle handle, long workflow) {
    return new KnownLists(template -> values(handle, workflow, template).orElse(List.of()));
  }

  /** How many numbers of steps of each of these workflows stand for none. */
  Map<Long, Integer> absent(Handle handle, Collection<Long> workflows) {
    Map<Long, Integer> absent = new HashMap<>();
    if (!workflows.isEmpty()) {
      handle
          .createQuery(
              """
              select workflow_id, sum(absent) as absent
              from workflow_list
              where workflow_id in (<workflows>)
              group by workflow_id
              """)
          .bindList("workflows", List.copyOf(workflows))
          .map((row, context) -> Map.entry(row.getLong("workflow_id"), row.getInt("absent")))
          .forEach(entry -> absent.put(entry.getKey(), entry.getValue()));
    }
    return absent;
  }

  /** The same of one workflow. */
  int absent(Handle handle, long workflow) {
    return absent(handle, List.of(workflow)).getOrDefault(workflow, 0);
  }
}
