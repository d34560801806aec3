package io.millrace.tests.statement;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes InnoDB's persistent statistics, so that MariaDB assumes large tables without any rows. */
final class WrittenStatistics {
  static final long ROWS = 5_000_000;
  private static final long ROWS_OF_A_PAGE = 50;

  /** The number of distinct values of columns; all others are unique in every row. */
  private static final Map<String, Long> VALUES =
      Map.ofEntries(
          Map.entry("kind", 3L),
          Map.entry("state", 4L),
          Map.entry("hungry", 2L),
          Map.entry("settled", 2L),
          Map.entry("occasion", 2L),
          Map.entry("pool", 10L),
          Map.entry("queue", 50L),
          Map.entry("segment_node", 20L),
          Map.entry("node", 20L),
          Map.entry("node_id", 50L),
          Map.entry("node_name", 50L),
          Map.entry("owner", 50L),
          Map.entry("share", 1_000L),
          Map.entry("name", 1_000L),
          Map.entry("lane", 20_000L),
          Map.entry("shape_id", 1_000L),
          Map.entry("array_id", 1_000L),
          Map.entry("task", 50L),
          Map.entry("group_name", 5L),
          Map.entry("run_id", 50_000L),
          Map.entry("tag", 1_000L),
          Map.entry("job_id", 1_000_000L));

  private WrittenStatistics() {}

  static void write(Connection connection, List<String> tables) throws SQLException {
    String schema = connection.getCatalog();
    try (Statement statement = connection.createStatement()) {
      for (String table : tables) {
        statement.execute("alter table " + table + " stats_persistent = 1, stats_auto_recalc = 0");
        statement.execute("analyze table " + table);
        statement.execute(
            "update mysql.innodb_table_stats set n_rows = %d, clustered_index_size = %d,"
                    .formatted(ROWS, ROWS / ROWS_OF_A_PAGE)
                + " sum_of_other_index_sizes = %d where database_name = '%s' and table_name = '%s'"
                    .formatted(ROWS / ROWS_OF_A_PAGE, schema, table));
        for (String[] prefix : prefixes(statement, schema, table)) {
          statement.execute(
              "update mysql.innodb_index_stats set stat_value = %s where database_name = '%s' and"
                      .formatted(prefix[2], schema)
                  + " table_name = '%s' and index_name = '%s' and stat_name = '%s'"
                      .formatted(table, prefix[0], prefix[1]));
        }
        statement.execute("flush table " + table);
      }
    }
  }

  /** Index, statistic and value. */
  private static List<String[]> prefixes(Statement statement, String schema, String table)
      throws SQLException {
    List<String[]> found = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            "select index_name, stat_name, stat_description from mysql.innodb_index_stats where"
                + " database_name = '%s' and table_name = '%s'".formatted(schema, table))) {
      while (rows.next()) {
        String name = rows.getString("stat_name");
        long value =
            name.startsWith("n_diff")
                ? different(rows.getString("stat_description"))
                : ROWS / ROWS_OF_A_PAGE;
        found.add(new String[] {rows.getString("index_name"), name, Long.toString(value)});
      }
    }
    return found;
  }

  private static long different(String columns) {
    long product = 1;
    for (String column : columns.split(",")) {
      product = Math.min(ROWS, product * VALUES.getOrDefault(column, ROWS));
    }
    return product;
  }
}
