package io.millrace.manager.accounting;

import io.millrace.manager.accounting.AttemptUse.UseKey;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The tables {@code usage_day} and {@code usage_change}. What ends attempts records what they used
 * in the same transaction, as separate rows, so that transactions do not wait for one another;
 * {@link #fold} adds these to the sums. Stateless.
 */
final class UsageDao {
  /** The owners of jobs, by id. */
  Map<Long, String> owners(Handle handle, Collection<Long> jobs) {
    Map<Long, String> owners = new HashMap<>();
    handle
        .createQuery("select id, owner from job where id in (<ids>)")
        .bindList("ids", jobs)
        .map((row, context) -> Map.entry(row.getLong("id"), row.getString("owner")))
        .forEach(entry -> owners.put(entry.getKey(), entry.getValue()));
    return owners;
  }

  /** Records what attempts used that end in this transaction. */
  void record(Handle handle, Map<UseKey, AttemptUse> uses) {
    if (uses.isEmpty()) {
      return;
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into usage_change (
                epoch_day, owner, queue, runs, failures, run_millis, slot_millis, cpu_millis,
                memory_mib_seconds)
            values (
                :day, :owner, :queue, :runs, :failures, :run, :slot, :cpu, :memory)
            """);
    uses.forEach((key, use) -> bind(batch, key, use).add());
    batch.execute();
  }

  /**
   * Adds up to that many recorded uses to the sums; returns how many. Runs under a claim: of two
   * concurrent runs, one fails.
   */
  int fold(Handle handle, int limit) {
    Map<UseKey, AttemptUse> sums = new HashMap<>();
    List<Long> ids = new ArrayList<>();
    handle
        .createQuery(
            """
            select *
            from usage_change
            order by id
            limit :limit
            """)
        .bind("limit", limit)
        .map(
            (row, context) -> {
              ids.add(row.getLong("id"));
              return Map.entry(key(row), use(row));
            })
        .forEach(entry -> sums.merge(entry.getKey(), entry.getValue(), AttemptUse::plus));
    if (ids.isEmpty()) {
      return 0;
    }
    // By their ids: a row with a lower id may be committed later than one with a higher id.
    int deleted =
        handle
            .createUpdate("delete from usage_change where id in (<ids>)")
            .bindList("ids", ids)
            .execute();
    if (deleted != ids.size()) {
      throw new IllegalStateException("usage_change is being folded by another process");
    }
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into usage_day (
                epoch_day, owner, queue, runs, failures, run_millis, slot_millis, cpu_millis,
                memory_mib_seconds)
            values (
                :day, :owner, :queue, :runs, :failures, :run, :slot, :cpu, :memory)
            on duplicate key update
                runs = runs + values(runs), failures = failures + values(failures),
                run_millis = run_millis + values(run_millis),
                slot_millis = slot_millis + values(slot_millis),
                cpu_millis = cpu_millis + values(cpu_millis),
                memory_mib_seconds = memory_mib_seconds + values(memory_mib_seconds)
            """);
    sums.forEach((key, use) -> bind(batch, key, use).add());
    batch.execute();
    return ids.size();
  }

  /** The sums of these days by owner and queue, also of what is not folded yet. */
  List<Map.Entry<UseKey, AttemptUse>> between(Handle handle, long from, long to) {
    return handle
        .createQuery(
            """
            select 0 as epoch_day, owner, queue, sum(runs) as runs, sum(failures) as failures,
                sum(run_millis) as run_millis, sum(slot_millis) as slot_millis,
                sum(cpu_millis) as cpu_millis, sum(memory_mib_seconds) as memory_mib_seconds
            from usage_day
            where epoch_day between :from and :to
            group by owner, queue
            union all
            select 0 as epoch_day, owner, queue, sum(runs) as runs, sum(failures) as failures,
                sum(run_millis) as run_millis, sum(slot_millis) as slot_millis,
                sum(cpu_millis) as cpu_millis, sum(memory_mib_seconds) as memory_mib_seconds
            from usage_change
            where epoch_day between :from and :to
            group by owner, queue
            """)
        .bind("from", from)
        .bind("to", to)
        .map((row, context) -> Map.entry(key(row), use(row)))
        .list();
  }

  /** Deletes up to that many sums of days before this one; returns how many. */
  int deleteBefore(Handle handle, long epochDay, int limit) {
    return handle
        .createUpdate("delete from usage_day where epoch_day < :day limit :limit")
        .bind("day", epochDay)
        .bind("limit", limit)
        .execute();
  }

  private static PreparedBatch bind(PreparedBatch batch, UseKey key, AttemptUse use) {
    return batch
        .bind("day", key.epochDay())
        .bind("owner", key.owner())
        .bind("queue", key.queue())
        .bind("runs", use.runs())
        .bind("failures", use.failures())
        .bind("run", use.runMillis())
        .bind("slot", use.slotMillis())
        .bind("cpu", use.cpuMillis())
        .bind("memory", use.memoryMibSeconds());
  }

  private static UseKey key(ResultSet row) throws SQLException {
    return new UseKey(row.getLong("epoch_day"), row.getString("owner"), row.getString("queue"));
  }

  private static AttemptUse use(ResultSet row) throws SQLException {
    return new AttemptUse(
        row.getLong("runs"),
        row.getLong("failures"),
        row.getLong("run_millis"),
        row.getLong("slot_millis"),
        row.getLong("cpu_millis"),
        row.getDouble("memory_mib_seconds"));
  }
}
