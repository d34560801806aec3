package io.millrace.manager.job;

import io.millrace.manager.job.JobColumns.Chunks;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The tables {@code lane} and {@code lane_entry}: exactly the jobs of serial lanes that have not
 * ended, in the order of their submission. Stateless.
 */
public final class LaneDao {
  private static final int CHUNK = 1000;

  /**
   * A job in its lane.
   *
   * @param job the job
   * @param lane the lane
   * @param position from 1, increasing with every job
   */
  public record Entry(long job, String lane, long position) {}

  /**
   * The jobs before a job in its lane.
   *
   * @param head the first job, which may run
   * @param jobs number of jobs
   */
  public record Ahead(long head, long jobs) {}

  private record Head(String lane, Long job) {}

  /** Inserts rows for lanes that have none. */
  public void ensure(Handle handle, NavigableSet<String> lanes) {
    PreparedBatch batch =
        handle.prepareBatch("insert ignore into lane (name, last_position) values (:name, 0)");
    lanes.forEach(name -> batch.bind("name", name).add());
    batch.execute();
  }

  /** Locks lanes, in the order of their names; returns their last positions. */
  public Map<String, Long> lock(Handle handle, NavigableSet<String> lanes) {
    Map<String, Long> positions = new HashMap<>();
    for (List<String> chunk : Chunks.of(lanes, CHUNK)) {
      handle
          .createQuery(
              """
              select name, last_position
              from lane
              where name in (<names>)
              order by name
              for update
              """)
          .bindList("names", chunk)
          .map((row, context) -> Map.entry(row.getString("name"), row.getLong("last_position")))
          .forEach(entry -> positions.put(entry.getKey(), entry.getValue()));
    }
    return positions;
  }

  /** The lanes of these jobs. */
  public Set<String> of(Handle handle, Collection<Long> ids) {
    Set<String> lanes = new HashSet<>();
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      lanes.addAll(
          handle
              .createQuery("select distinct lane from lane_entry where job_id in (<ids>)")
              .bindList("ids", chunk)
              .mapTo(String.class)
              .list());
    }
    return lanes;
  }

  /** Adds jobs at the end of lanes that the caller has locked. */
  public void append(Handle handle, List<Entry> entries, Map<String, Long> positions) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into lane_entry (job_id, lane, position)
            values (:id, :lane, :position)
            """);
    for (Entry entry : entries) {
      batch
          .bind("id", entry.job())
          .bind("lane", entry.lane())
          .bind("position", entry.position())
          .add();
    }
    batch.execute();
    PreparedBatch lanes =
        handle.prepareBatch("update lane set last_position = :position where name = :name");
    positions.forEach((name, last) -> lanes.bind("name", name).bind("position", last).add());
    lanes.execute();
  }

  public void remove(Handle handle, Collection<Long> ids) {
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      handle
          .createUpdate("delete from lane_entry where job_id in (<ids>)")
          .bindList("ids", chunk)
          .execute();
    }
  }

  /** The first job of each lane; lanes without one are left out. */
  public Map<String, Long> heads(Handle handle, Collection<String> lanes) {
    Map<String, Long> heads = new HashMap<>();
    for (List<String> chunk : Chunks.of(lanes, CHUNK)) {
      handle
          .createQuery(
              // Both columns in the order, so that the index gives the first without a sort.
              """
              select l.name as lane, (
                  select e.job_id
                  from lane_entry e
                  where e.lane = l.name
                  order by e.lane, e.position
                  limit 1) as job
              from lane l
              where l.name in (<lanes>)
              """)
          .bindList("lanes", chunk)
          .map(ConstructorMapper.of(Head.class))
          .filter(head -> head.job() != null)
          .forEach(head -> heads.put(head.lane(), head.job()));
    }
    return heads;
  }

  /** The jobs before the job; empty if it is the first, or in no lane. */
  public Optional<Ahead> ahead(Handle handle, long job) {
    return handle
        .createQuery(
            """
            select o.job_id as head, (select count(*) from lane_entry c where c.lane = e.lane
                and c.position < e.position) as jobs
            from lane_entry e
            join lane_entry o on o.lane = e.lane and o.position < e.position
            where e.job_id = :id
            order by o.position
            limit 1
            """)
        .bind("id", job)
        .map(ConstructorMapper.of(Ahead.class))
        .findOne();
  }

  /** Those of the jobs that are in a lane and not its first. */
  public Set<Long> notFirst(Handle handle, Collection<Long> ids) {
    Set<Long> later = new HashSet<>();
    for (List<Long> chunk : Chunks.of(ids, CHUNK)) {
      later.addAll(
          handle
              .createQuery(
                  """
                  select e.job_id
                  from lane_entry e
                  where e.job_id in (<ids>) and exists (
                      select 1
                      from lane_entry o
                      where o.lane = e.lane and o.position < e.position)
                  """)
              .bindList("ids", chunk)
              .mapTo(Long.class)
              .list());
    }
    return later;
  }

  /** Deletes lanes, locked by the caller, that are still idle. */
  public void deleteIdle(Handle handle, Collection<String> lanes) {
    for (String name : lanes) {
      handle
          .createUpdate(
              """
              delete from lane
              where name = :name and not exists (select 1 from job j where j.lane = :name)
              """)
          .bind("name", name)
          .execute();
    }
  }
}
