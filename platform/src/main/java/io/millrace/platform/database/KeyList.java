package io.millrace.platform.database;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.SqlStatement;

/**
 * Finds rows by many keys of two columns that agree in the first column. MySQL and MariaDB look up
 * each key of a list. H2 reads all rows with the first column's value and compares each with the
 * whole list, which is quadratic in large workflows; it looks up each key if the list is a table
 * that is joined, or if both columns are compared as one row. Stateless.
 */
public final class KeyList {
  private static final String DIALECT = "dialect";

  private final String first;
  private final String second;

  /**
   * The columns, which an index begins with.
   *
   * @param first the column that the keys agree in
   * @param second the other one, an INT
   */
  public KeyList(String first, String second) {
    this.first = first;
    this.second = second;
  }

  /** Tells the statements of a database which one it is. */
  static void register(Jdbi jdbi, Dialect dialect) {
    jdbi.define(DIALECT, dialect);
  }

  /**
   * Binds the keys to a query, which has {@code <keys>} after the name of its only table; further
   * conditions follow with {@code and}.
   *
   * @param numbers not empty
   */
  public <T extends SqlStatement<T>> T select(T query, long value, Collection<Integer> numbers) {
    if (!isH2(query)) {
      return define(query, value, numbers, "where %s = :first_key and %s in (%s)", ":%s");
    }
    Object[] all = numbers.toArray();
    Argument array = (position, statement, context) -> statement.setObject(position, all);
    return query
        .define(
            "keys",
            "join table(wanted_key int = :second_keys) on %s = :first_key and %s = wanted_key"
                .formatted(first, second))
        .bind("first_key", value)
        .bind("second_keys", array);
  }

  /**
   * Binds the keys to an update or a deletion, which has {@code where <keys>}; further conditions
   * follow with {@code and}.
   *
   * @param numbers not empty; some hundreds at most, of which H2 compares each with each
   */
  public <T extends SqlStatement<T>> T change(T update, long value, Collection<Integer> numbers) {
    return isH2(update)
        ? define(update, value, numbers, "(%s, %s) in (%s)", "(:first_key, :%s)")
        : define(update, value, numbers, "%s = :first_key and %s in (%s)", ":%s");
  }

  private <T extends SqlStatement<T>> T define(
      T statement, long value, Collection<Integer> numbers, String condition, String key) {
    List<String> keys = new ArrayList<>();
    for (int number : numbers) {
      String name = "second_key_" + keys.size();
      keys.add(key.formatted(name));
      statement.bind(name, number);
    }
    return statement
        .define("keys", condition.formatted(first, second, String.join(", ", keys)))
        .bind("first_key", value);
  }

  private static boolean isH2(SqlStatement<?> statement) {
    return statement.getContext().getAttribute(DIALECT) == Dialect.H2;
  }
}
