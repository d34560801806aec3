package io.millrace.manager.node;

import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Whether execution nodes that register for the first time are drained, in the table {@code
 * new_node_drain}. Stateless.
 */
public final class NewNodeDrainDao {
  public void insert(Handle handle, String reason, Instant now) {
    handle
        .createUpdate("insert into new_node_drain (reason, since) values (:reason, :now)")
        .bind("reason", reason)
        .bind("now", now)
        .execute();
  }

  /** Why new nodes are drained; empty if they are not. */
  Optional<String> reason(Handle handle) {
    return handle
        .createQuery("select reason from new_node_drain order by reason limit 1")
        .mapTo(String.class)
        .findOne();
  }

  /** Lets nodes that register from now on take jobs. */
  void delete(Handle handle) {
    handle.createUpdate("delete from new_node_drain").execute();
  }
}
