package io.millrace.manager.job.store;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/** Records attempts with the capacity that they book, before anybody is told. Stateless. */
public final class PlacementStore {
  /**
   * One new attempt.
   *
   * @param job the job, locked and waiting
   * @param node the node's id
   * @param nodeName the node's name
   */
  public record NewAttempt(JobFacts job, UUID node, String nodeName) {
    /** The new attempt's number. */
    public int number() {
      return job.attempt() + 1;
    }
  }

  /** Job to PLACED, attempt and booking recorded; the ready rows are the caller's to delete. */
  public void record(Handle handle, List<NewAttempt> attempts, Instant now) {
    if (attempts.isEmpty()) {
      return;
    }
    placeJobs(handle, attempts);
    insertAttempts(handle, attempts, now);
    insertBookings(handle, attempts);
  }

  private static void placeJobs(Handle handle, List<NewAttempt> attempts) {
    PreparedBatch batch =
        handle.prepareBatch(
            "update job set state = 'PLACED', attempt_number = :next, node_id = :node, node_name ="
                + " :nodeName, started_at = null, not_before = null, reason = null where id = :id"
                + " and state = 'WAITING' and attempt_number = :before");
    for (NewAttempt attempt : attempts) {
      batch
          .bind("next", attempt.number())
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
            "insert into attempt (job_id, attempt_number, node_id, node_name, state, recorded_at,"
                + " events, run_millis) values (:id, :number, :node, :nodeName, 'PLACED', :now, 0,"
                + " 0)");
    for (NewAttempt attempt : attempts) {
      batch
          .bind("id", attempt.job().id())
          .bind("number", attempt.number())
          .bind("node", attempt.node().toString())
          .bind("nodeName", attempt.nodeName())
          .bind("now", now)
          .add();
    }
    batch.execute();
  }

  private static void insertBookings(Handle handle, List<NewAttempt> attempts) {
    PreparedBatch batch =
        handle.prepareBatch(
            "insert into booking (job_id, attempt_number, node_id, slots, kind, queue,"
                + " segment_node, running, stop_asked) values (:id, :number, :node, :slots, :kind,"
                + " :queue, :segmentNode, false, false)");
    for (NewAttempt attempt : attempts) {
      batch
          .bind("id", attempt.job().id())
          .bind("number", attempt.number())
          .bind("node", attempt.node().toString())
          .bind("slots", attempt.job().slots())
          .bind("kind", attempt.job().kind().name())
          .bind("queue", attempt.job().queue())
          .bind("segmentNode", attempt.job().segmentNode())
          .add();
    }
    batch.execute();
  }
}
