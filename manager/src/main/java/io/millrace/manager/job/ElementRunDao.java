package io.millrace.manager.job;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The table {@code element_ids}: which ids the elements of arrays got, which outlives their rows.
 * Stateless.
 */
public final class ElementRunDao {
  private static final int PAGE = 100;

  /**
   * Records the elements that an array has just got, whose own job the caller has locked.
   *
   * @param ids of the elements, rising
   * @param indexes of the elements, in the order of the ids
   */
  public void record(Handle handle, long array, List<Long> ids, List<Long> indexes, long step) {
    List<ElementRun> runs = new ArrayList<>(ElementRun.of(array, ids, indexes, step));
    if (runs.isEmpty()) {
      return;
    }
    // While one array alone expands, all its elements have a single row.
    Optional<ElementRun> longer =
        newest(handle, array, Long.MAX_VALUE, 1).stream()
            .findFirst()
            .flatMap(last -> last.with(runs.get(0), step));
    if (longer.isPresent()) {
      lengthen(handle, longer.get());
      runs.remove(0);
    }
    insert(handle, runs);
  }

  /** Replaces a run by a longer one with the same first id. */
  void lengthen(Handle handle, ElementRun run) {
    handle
        .createUpdate("update element_ids set elements = :elements where first_id = :id")
        .bind("elements", run.elements())
        .bind("id", run.firstId())
        .execute();
  }

  private static void insert(Handle handle, List<ElementRun> runs) {
    if (runs.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into element_ids (first_id, array_id, elements, first_index, indexes)
            values (:id, :array, :elements, :index, :indexes)
            """);
    for (ElementRun run : runs) {
      batch
          .bind("id", run.firstId())
          .bind("array", run.array())
          .bind("elements", run.elements())
          .bind("index", run.firstIndex())
          .bind("indexes", run.encoded())
          .add();
    }
    batch.execute();
  }

  /** The runs that contain the ids, by id; ids that no element ever had are left out. */
  Map<Long, ElementRun> of(Handle handle, Collection<Long> ids) {
    Map<Long, ElementRun> found = new HashMap<>();
    TreeSet<Long> left = new TreeSet<>(ids);
    while (!left.isEmpty()) {
      List<ElementRun> runs = newest(handle, left.last() + 1, PAGE);
      for (ElementRun run : runs) {
        // What is above this run and not in the one before it is in none.
        left.tailSet(run.lastId(), false).clear();
        Collection<Long> inside = left.tailSet(run.firstId(), true);
        inside.forEach(id -> found.put(id, run));
        inside.clear();
      }
      if (runs.size() < PAGE) {
        return found;
      }
    }
    return found;
  }

  /** The runs that begin below an id, newest first. */
  List<ElementRun> newest(Handle handle, long before, int limit) {
    return handle
        .createQuery(
            """
            select first_id, array_id, elements, first_index, indexes
            from element_ids
            where first_id < :before
            order by first_id desc
            limit :limit
            """)
        .bind("before", before)
        .bind("limit", limit)
        .map((row, context) -> run(row))
        .list();
  }

  /** The runs of an array that begin below an id, newest first. */
  List<ElementRun> newest(Handle handle, long array, long before, int limit) {
    return handle
        .createQuery(
            """
            select first_id, array_id, elements, first_index, indexes
            from element_ids
            where array_id = :array and first_id < :before
            order by array_id desc, first_id desc
            limit :limit
            """)
        .bind("array", array)
        .bind("before", before)
        .bind("limit", limit)
        .map((row, context) -> run(row))
        .list();
  }

  /** Deletes some runs of an array; returns how many. */
  int deleteSome(Handle handle, long array, int limit) {
    return handle
        .createUpdate("delete from element_ids where array_id = :array limit :limit")
        .bind("array", array)
        .bind("limit", limit)
        .execute();
  }

  private static ElementRun run(ResultSet row) throws SQLException {
    long firstIndex = row.getLong("first_index");
    return new ElementRun(
        row.getLong("first_id"),
        row.getLong("array_id"),
        row.getInt("elements"),
        firstIndex,
        ElementRun.decoded(firstIndex, row.getBytes("indexes")));
  }
}
