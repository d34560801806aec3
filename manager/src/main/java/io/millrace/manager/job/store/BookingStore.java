package io.millrace.manager.job.store;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;

import io.millrace.api.job.AttemptId;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** The table {@code booking}: exactly the attempts that have not ended. Stateless. */
public final class BookingStore {
  /**
   * One attempt that has not ended.
   *
   * @param attempt which
   * @param running whether its start was reported
   * @param stopAsked whether somebody wants it to end
   */
  public record Booking(AttemptId attempt, boolean running, boolean stopAsked) {}

  /** A node's attempts that have not ended, oldest job first. */
  public List<Booking> of(Handle handle, UUID node) {
    return handle
        .createQuery(
            "select job_id, attempt_number, running, stop_asked from booking where node_id = :node"
                + " order by job_id")
        .bind("node", node.toString())
        .map(
            (row, context) ->
                new Booking(
                    new AttemptId(row.getLong("job_id"), row.getInt("attempt_number")),
                    row.getBoolean("running"),
                    row.getBoolean("stop_asked")))
        .list();
  }

  /** Attempts that have not ended, by node. */
  public Map<UUID, List<AttemptId>> attempts(Handle handle) {
    return handle
        .createQuery("select node_id, job_id, attempt_number from booking order by job_id")
        .map(
            (row, context) ->
                Map.entry(
                    UUID.fromString(row.getString("node_id")),
                    new AttemptId(row.getLong("job_id"), row.getInt("attempt_number"))))
        .collect(groupingBy(Map.Entry::getKey, mapping(Map.Entry::getValue, toList())));
  }

  /** Slots booked, by node. */
  public Map<UUID, Integer> usedSlots(Handle handle) {
    return handle
        .createQuery("select node_id, sum(slots) as used from booking group by node_id")
        .map(
            (row, context) ->
                Map.entry(UUID.fromString(row.getString("node_id")), row.getInt("used")))
        .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Tells the attempt's node, at its next poll, to end it. */
  public void askStop(Handle handle, AttemptId attempt) {
    handle
        .createUpdate(
            "update booking set stop_asked = true where job_id = :id and attempt_number = :attempt")
        .bind("id", attempt.job())
        .bind("attempt", attempt.number())
        .execute();
  }
}
