package io.millrace.manager.pacing;

import io.millrace.api.Json;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/**
 * The breakers of queues whose workers have failed. Stateless; runs in the caller's transaction.
 */
public final class BreakerDao {
  private BreakerDao() {}

  /** Those of these queues whose breaker would change with another success. */
  public static Set<String> watching(Handle handle, Collection<String> queues) {
    return new HashSet<>(
        handle
            .createQuery(
                """
                select queue
                from breaker
                where queue in (<queues>) and watching
                """)
            .bindList("queues", List.copyOf(queues))
            .mapTo(String.class)
            .list());
  }

  /** The open breakers, by queue. */
  public static Map<String, Breaker> open(Handle handle) {
    return handle
        .createQuery("select queue, state from breaker where opened")
        .map(
            (RowView row) ->
                Map.entry(
                    row.getColumn("queue", String.class),
                    read(row.getColumn("state", String.class))))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** The queue's breaker if it is open. */
  public static Optional<Breaker> open(Handle handle, String queue) {
    return handle
        .createQuery("select state from breaker where queue = :queue and opened")
        .bind("queue", queue)
        .mapTo(String.class)
        .findOne()
        .map(BreakerDao::read);
  }

  /** Locks the queue's breaker until the end of the transaction; creates a closed one if needed. */
  public static Breaker lock(Handle handle, String queue) {
    handle
        .createUpdate(
            """
            insert ignore into breaker (queue, watching, opened, state)
            values (:queue, false, false, :state)
            """)
        .bind("queue", queue)
        .bind("state", Json.write(Breaker.CLOSED))
        .execute();
    return handle
        .createQuery("select state from breaker where queue = :queue for update")
        .bind("queue", queue)
        .mapTo(String.class)
        .findOne()
        .map(BreakerDao::read)
        .orElse(Breaker.CLOSED);
  }

  /** Writes the breaker that the caller has locked. */
  public static void put(Handle handle, String queue, Breaker breaker) {
    handle
        .createUpdate(
            """
            update breaker
            set watching = :watching, opened = :opened, state = :state
            where queue = :queue
            """)
        .bind("queue", queue)
        .bind("watching", !breaker.quiet())
        .bind("opened", breaker.open())
        .bind("state", Json.write(breaker))
        .execute();
  }

  /** Removes what there is of a deleted queue. */
  public static void remove(Handle handle, String queue) {
    handle.createUpdate("delete from breaker where queue = :queue").bind("queue", queue).execute();
  }

  private static Breaker read(String state) {
    return Json.read(state, Breaker.class);
  }
}
