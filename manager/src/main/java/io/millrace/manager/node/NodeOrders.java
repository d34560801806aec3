package io.millrace.manager.node;

import java.time.Duration;
import org.jdbi.v3.core.Handle;

/** The ends of drainings and maintenances. Stateless; works in its caller's transaction. */
public final class NodeOrders {
  private final NodeOrderDao store = new NodeOrderDao();

  /** Locks all nodes, by id. */
  public void lock(Handle handle) {
    store.lock(handle);
  }

  /** Moves every end by a step of the database's clock, so that none comes early or late by it. */
  public void shift(Handle handle, Duration step) {
    store.ends(handle).forEach((id, until) -> store.postpone(handle, id, until.plus(step)));
  }
}
