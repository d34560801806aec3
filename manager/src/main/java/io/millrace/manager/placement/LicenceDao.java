package io.millrace.manager.placement;

import io.millrace.api.job.AttemptId;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** The table {@code licence}, and the attempts that hold licences. Stateless. */
public final class LicenceDao {
  /**
   * The licences of an attempt.
   *
   * @param attempt the holder
   * @param amount numbers by name of the licence
   */
  public record Holding(AttemptId attempt, Map<String, Integer> amount) {}

  /** The totals by name. */
  public SortedMap<String, Integer> totals(Handle handle) {
    return totals(handle.createQuery("select name, total from licence order by name"));
  }

  /** The totals of some licences, locked so that only one transaction books them at a time. */
  public SortedMap<String, Integer> lockTotals(Handle handle, Collection<String> names) {
    if (names.isEmpty()) {
      return new TreeMap<>();
    }
    return totals(
        handle
            .createQuery(
                """
                select name, total
                from licence
                where name in (<names>)
                order by name
                for update
                """)
            .bindList("names", List.copyOf(names)));
  }

  private static SortedMap<String, Integer> totals(Query query) {
    SortedMap<String, Integer> totals = new TreeMap<>(Comparator.naturalOrder());
    query
        .map((row, context) -> Map.entry(row.getString("name"), row.getInt("total")))
        .forEach(entry -> totals.put(entry.getKey(), entry.getValue()));
    return totals;
  }

  public void set(Handle handle, String name, int total) {
    handle
        .createUpdate(
            """
            insert into licence (name, total)
            values (:name, :total)
            on duplicate key update total = values(total)
            """)
        .bind("name", name)
        .bind("total", total)
        .execute();
  }

  /** Forgets a licence. */
  public void delete(Handle handle, String name) {
    handle.createUpdate("delete from licence where name = :name").bind("name", name).execute();
  }

  /** Attempts that hold licences, oldest job first. */
  public List<Holding> holdings(Handle handle) {
    return handle
        .createQuery(
            """
            select job_id, attempt_number, licences
            from booking
            where licences <> ''
            order by job_id
            """)
        .map(
            (row, context) ->
                new Holding(
                    new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
                    ShapeDao.amounts(row.getString("licences"))))
        .list();
  }
}
