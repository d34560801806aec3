package io.millrace.manager.job;

import io.millrace.manager.placement.PlacementPlan.Placement;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Records attempts with the capacity that they book, before nodes learn of them. Stateless. */
public final class PlacementDao {
  /**
   * One new attempt.
   *
   * @param job the job, locked and waiting
   * @param placement its node and what it books
   * @param number the new attempt's number
   */
  public record NewAttempt(JobFacts job, Placement placement, int number) {
    /** Its node. */
    public UUID node() {
      return placement.node();
    }

    /** Its node's name. */
    public String nodeName() {
      return placement.nodeName();
    }
  }

  /** Sets jobs to PLACED and records attempts and bookings; the caller deletes the ready rows. */
  public void record(Handle handle, List<NewAttempt> attempts, Instant now) {
    if (attempts.isEmpty()) {
      return;
    }
    placeJobs(handle, attempts, now);
    insertAttempts(handle, attempts, now);
    insertBookings(handle, attempts);
    insertRestarting(handle, attempts, now);
  }

  private static void placeJobs(Handle handle, List<NewAttempt> attempts, Instant now) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update job
            set state = 'PLACED', attempt_number = :next, node_id = :node,
                node_name = :nodeName, placed_at = :now, started_at = null, not_before = null,
                reason = null
            where id = :id and state = 'WAITING' and attempt_number = :before
            """);
    for (NewAttempt attempt : attempts) {
      batch
          .bind("next", attempt.number())
          .bind("now", now)
          .bind("node", attempt.node().toString())
          .bind("nodeName", attempt.nodeName())
          .bind("id", attempt.job().id())
          .bind("before", attempt.job().attempt())
          .add();
    }
    batch.execute();
  }

  private static void insertAttempts(Handle handle, List<NewAttempt> attempts, Instant now) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into attempt (job_id, attempt_number, node_id, node_name, state, recorded_at,
                events, run_millis, cause)
            values (:id, :number, :node, :nodeName, 'PLACED', :now, 0, 0, :cause)
            """);
    for (NewAttempt attempt : attempts) {
      batch
          .bind("id", attempt.job().id())
          .bind("number", attempt.number())
          .bind("node", attempt.node().toString())
          .bind("nodeName", attempt.nodeName())
          .bind("cause", attempt.job().nextCause())
          .bind("now", now)
          .add();
    }
    batch.execute();
  }

  private static void insertBookings(Handle handle, List<NewAttempt> attempts) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert into booking (job_id, attempt_number, node_id, slots, kind, queue,
                segment_node, running, stop_asked, cpu_millis, memory_bytes, resources,
                licences, share, definition, lasting)
            values (:id, :number, :node, :slots, :kind, :queue, :segmentNode, false, false,
                :cpu, :memory, :resources, :licences, :share, :definition, :lasting)
            """);
    for (NewAttempt attempt : attempts) {
      Shape shape = attempt.placement().shape();
      batch
          .bind("id", attempt.job().id())
          .bind("number", attempt.number())
          .bind("node", attempt.node().toString())
          .bind("slots", shape.slots())
          .bind("kind", attempt.job().kind().name())
          .bind("queue", attempt.job().queue())
          .bind("segmentNode", attempt.job().segmentNode())
          .bind("cpu", shape.cpuMillis())
          .bind("memory", shape.memoryBytes())
          .bind("resources", ShapeDao.text(shape.sortedResources()))
          .bind("licences", ShapeDao.text(shape.sortedLicences()))
          .bind("share", shape.share())
          .bind("definition", attempt.placement().job().definition())
          .bind("lasting", attempt.job().restarts())
          .add();
    }
    batch.execute();
  }

  // Jobs that are always restarted never end; their old attempts are found by these rows.
  private static void insertRestarting(Handle handle, List<NewAttempt> attempts, Instant now) {
    PreparedBatch batch =
        handle.prepareBatch(
            """
            insert ignore into job_restarting (job_id, trim_at)
            values (:id, :now)
            """);
    attempts.stream()
        .map(NewAttempt::job)
        .filter(JobFacts::restarts)
        .forEach(job -> batch.bind("id", job.id()).bind("now", now).add());
    if (batch.size() > 0) {
      batch.execute();
    }
  }
}
