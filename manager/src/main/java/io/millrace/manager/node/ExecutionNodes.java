package io.millrace.manager.node;

import io.millrace.api.job.AttemptId;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.RegistrationAnswer;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.manager.job.AttemptEnd;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.store.BookingStore.Booking;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.node.store.NodeRow;
import io.millrace.manager.node.store.NodeStore;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Registration and goodbye of execution nodes. Thread-safe; blocks on the database. */
public final class ExecutionNodes {
  private final Database database;
  private final DatabaseTime time;
  private final NodeStore nodes = new NodeStore();
  private final NodeRegistry registry;
  private final NodeAttempts attempts;
  private final Heartbeat heartbeat;
  private final ExecutionNodeViews views;

  /** Registers nodes that are closed to nothing. */
  public ExecutionNodes(
      Database database, NodeRegistry registry, NodeAttempts attempts, Heartbeat heartbeat) {
    this(
        database,
        registry,
        attempts,
        heartbeat,
        new ExecutionNodeViews(database, NodeClosures.NONE));
  }

  /**
   * A register.
   *
   * @param views what shows the nodes
   */
  public ExecutionNodes(
      Database database,
      NodeRegistry registry,
      NodeAttempts attempts,
      Heartbeat heartbeat,
      ExecutionNodeViews views) {
    this.views = views;
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.registry = registry;
    this.attempts = attempts;
    this.heartbeat = heartbeat;
  }

  /**
   * Employs a node, new, registered already or retired (M-06). Of the attempts recorded for it, it
   * keeps those whose processes it says live; the others are lost and run elsewhere.
   */
  public RegistrationAnswer register(NodeRegistration registration) {
    RegistrationRules.check(registration);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          registry.enter(handle, row(registration, now), now);
          return settle(handle, registration, now);
        });
  }

  private RegistrationAnswer settle(Handle handle, NodeRegistration registration, Instant now) {
    Set<AttemptId> live = new HashSet<>(registration.live());
    Set<AttemptId> recorded = new HashSet<>();
    for (Booking booking : attempts.of(handle, registration.id())) {
      recorded.add(booking.attempt());
    }
    List<AttemptId> lost = recorded.stream().filter(attempt -> !live.contains(attempt)).toList();
    String reason = "node " + registration.name() + " came back without it";
    attempts.end(handle, registration.id(), lost, AttemptEnd.lost(reason), now);
    return new RegistrationAnswer(
        registration.live().stream().filter(recorded::contains).toList(),
        registration.live().stream().filter(attempt -> !recorded.contains(attempt)).toList(),
        heartbeat.interval(),
        heartbeat.told());
  }

  /** Retires a node that says goodbye; its attempts go to the back of the queue (M-12). */
  public void deregister(UUID id) {
    database.transaction(
        handle -> {
          NodeRow node = nodes.lock(handle, id).orElseThrow(() -> unknown(id));
          Instant now = time.now(handle);
          nodes.retire(handle, id, now);
          attempts.endAll(handle, id, AttemptEnd.withdrawn("node " + node.name() + " left"), now);
          return null;
        });
  }

  /** The node of that id. */
  public NodeRow require(UUID id) {
    return database.read(handle -> nodes.find(handle, id)).orElseThrow(() -> unknown(id));
  }

  /** All execution nodes, by name. */
  public List<ExecutionNodeView> list() {
    return views.list();
  }

  private NodeRow row(NodeRegistration registration, Instant now) {
    List<String> pools = registration.pools();
    Map<String, String> attributes = registration.attributes();
    return NodeRow.heard(
            registration.id(),
            registration.name(),
            NodeKind.EXECUTION,
            registration.address(),
            null,
            now,
            heartbeat.lease())
        .running(
            registration.capacity(),
            pools == null || pools.isEmpty() ? List.of("default") : pools,
            attributes == null ? Map.of() : attributes,
            registration.version());
  }

  /** The answer to a node that nobody knows, which makes it register. */
  public static MillraceException unknown(UUID id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE, "no employed node " + id + "; it has to register (again)");
  }
}
