package io.millrace.manager.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.database.Database;
import java.sql.Blob;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
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

  /** The rows of all tables except that of claims, in one order. */
  static Map<String, List<String>> contents(Database database) {
    Map<String, List<String>> contents = new TreeMap<>();
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

  /** Fails with the first row that is not in both. */
  static void requireSame(Map<String, List<String>> before, Map<String, List<String>> after) {
    assertThat(after.keySet()).as("tables").isEqualTo(before.keySet());
    before.forEach(
        (table, rows) -> {
          List<String> now = after.get(table);
          int at = 0;
          while (at < Math.min(rows.size(), now.size()) && rows.get(at).equals(now.get(at))) {
            at++;
          }
          assertThat(row(now, at))
              .as("row %d of %d in table %s, which had %d", at, now.size(), table, rows.size())
              .isEqualTo(row(rows, at));
        });
  }

  private static String row(List<String> rows, int at) {
    return at < rows.size() ? rows.get(at) : "no row";
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

  private static List<String> content(Handle handle, String table) {
    return handle.createQuery("select * from " + table).map((row, context) -> text(row)).stream()
        .sorted()
        .toList();
  }

  private static String text(ResultSet row) throws SQLException {
    ResultSetMetaData columns = row.getMetaData();
    List<String> texts = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      Object value = row.getObject(i);
      byte[] bytes =
          value instanceof Blob blob
              ? blob.getBytes(1, (int) blob.length())
              : value instanceof byte[] array ? array : null;
      String text = bytes == null ? row.getString(i) : HexFormat.of().formatHex(bytes);
      texts.add(columns.getColumnLabel(i).toLowerCase(Locale.ROOT) + "=" + text);
    }
    return String.join(" ", texts);
  }
}
