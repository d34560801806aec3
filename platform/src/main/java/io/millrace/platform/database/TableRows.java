package io.millrace.platform.database;

import java.io.IOException;
import java.util.List;

/**
 * Receives the rows of tables, table by table. Values are null, {@link Boolean}, {@link Long},
 * {@link Double} or {@link String}; times are texts in UTC, bytes are texts in Base64. Not
 * thread-safe.
 */
public interface TableRows {
  /** Begins a table. */
  void table(String name, List<String> columns) throws IOException;

  /** A row of the table, with a value for each column. */
  void row(List<Object> values) throws IOException;
}
