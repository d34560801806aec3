package io.millrace.manager.workflow;

import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.manager.graph.TemplateEdges;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** The table {@code workflow_edge}: what the templates of workflows wait for. Stateless. */
final class EdgeDao {
  void insert(Handle handle, long workflow, List<EdgeRow> edges) {
    if (edges.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into workflow_edge (workflow_id, from_template, to_template, kind, steps)
            values (:workflow, :from, :to, :kind, :steps)
            """);
    for (EdgeRow edge : edges) {
      batch
          .bind("workflow", workflow)
          .bind("from", edge.from())
          .bind("to", edge.to())
          .bind("kind", edge.kind().name())
          .bind("steps", edge.steps())
          .add();
    }
    batch.execute();
  }

  /** The edges of a workflow, by rising number of both templates. */
  List<EdgeRow> of(Handle handle, long workflow) {
    return handle
        .createQuery(
            """
            select from_template, to_template, kind, steps
            from workflow_edge
            where workflow_id = :workflow
            order by workflow_id, from_template, to_template, kind
            limit :limit
            """)
        .bind("workflow", workflow)
        .bind("limit", TemplateEdges.MAX)
        .map(
            (row, context) ->
                new EdgeRow(
                    row.getInt("from_template"),
                    row.getInt("to_template"),
                    EdgeKind.valueOf(row.getString("kind")),
                    row.getInt("steps")))
        .list();
  }

  /** Records how many steps of a template wait, once they are known. */
  void steps(Handle handle, long workflow, int template, int steps) {
    handle
        .createUpdate(
            """
            update workflow_edge
            set steps = :steps
            where workflow_id = :workflow and to_template = :template and kind <> 'STEPS'
            """)
        .bind("steps", steps)
        .bind("workflow", workflow)
        .bind("template", template)
        .execute();
  }
}
