package io.millrace.manager.workflow;

import io.millrace.platform.database.Database;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/** The tables of a database, found by their names, so that no new one is overlooked. */
final class WorkflowTables {
  private static final String RELEASED = "released_step";

  private WorkflowTables() {}

  /** The number of rows that belong to a workflow, by table. */
  static Map<String, Integer> rowsOf(Database database, long workflow) {
    Map<String, Integer> rows = new TreeMap<>();
    database.read(
        handle -> {
          names(handle).stream()
              .filter(WorkflowTables::isOfWorkflows)
              .forEach(table -> rows.put(table, count(handle, table, workflow)));
          return null;
        });
    return rows;
  }

  /** What is in all tables except that of claims. */
  static Map<String, String> contents(Database database) {
    Map<String, String> contents = new TreeMap<>();
    database.read(
        handle -> {
          for (String table : names(handle)) {
            if (!table.equals("claim")) {
              contents.put(table, content(handle, table));
            }
          }
          return null;
        });
    return contents;
  }

  private static boolean isOfWorkflows(String table) {
    return table.startsWith("workflow") || table.startsWith("step_") || table.equals(RELEASED);
  }

  private static List<String> names(Handle handle) {
    return handle
        .createQuery(
            "select lower(table_name) from information_schema.tables"
                + " where table_type = 'BASE TABLE' and lower(table_schema) = 'public'")
        .mapTo(String.class)
        .list();
  }

  private static int count(Handle handle, String table, long workflow) {
    String own =
        switch (table) {
          case "workflow" -> "id = :id";
          case RELEASED ->
              // Those of no workflow would be left over from it.
              "array_id not in (select array_id from workflow_array where workflow_id <> :id)";
          default -> "workflow_id = :id";
        };
    return handle
        .createQuery("select count(*) from " + table + " where " + own)
        .bind("id", workflow)
        .mapTo(Integer.class)
        .one();
  }

  private static String content(Handle handle, String table) {
    return handle
        .createQuery("select * from " + table)
        .map(
            (row, context) -> {
              StringBuilder text = new StringBuilder();
              for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                text.append(row.getString(i)).append(' ');
              }
              return text.toString();
            })
        .stream()
        .sorted()
        .reduce("", (all, row) -> all + row + "\n");
  }
}
