package io.millrace.manager.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registers and deregisters execution nodes. Thread-safe; blocks on the database. */
public final class ExecutionNodes {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExecutionNodes.class);

  private final Database database;
  private final DatabaseTime time;
  private final NodeDao nodes = new NodeDao();
  private final ExclusiveDao exclusives = new ExclusiveDao();
  private final NodeRegistry registry;
  private final NodeAttempts attempts;
  private final Heartbeat heartbeat;
  private final ExecutionNodeViews views;

  /** Creates a registry without a denylist. */
  public ExecutionNodes(
      Database database, NodeRegistry registry, NodeAttempts attempts, Heartbeat heartbeat) {
    this(
        database,
        registry,
        attempts,
        heartbeat,
        new ExecutionNodeViews(database, NodeDenylist.NONE));
  }

  /**
   * Creates a registry.
   *
   * @param views shows the nodes
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
   * keeps those whose processes it reports as live; the others are lost and run elsewhere,
   * exclusive ones only after the time of their watchdog. While it holds attempts that are not
   * current, it is given nothing until its next poll that accepts jobs.
   *
   * @param request the registration's number; a repetition is answered and changes nothing
   * @throws MillraceException STALE_REQUEST when a newer request of the node was accepted
   */
  public RegistrationAnswer register(NodeRegistration registration, RequestNumber request) {
    RegistrationRules.check(registration);
    return database.transaction(
        handle -> {
          Instant now = time.now(handle);
          boolean isNew = registry.enter(handle, row(registration, request, now), now);
          List<Booking> recorded = attempts.of(handle, registration.id());
          RegistrationAnswer answer = answer(registration, recorded);
          if (isNew) {
            settle(handle, registration, answer, recorded, now);
          }
          return answer;
        });
  }

  private RegistrationAnswer answer(NodeRegistration registration, List<Booking> recorded) {
    Set<AttemptId> current = recorded.stream().map(Booking::attempt).collect(Collectors.toSet());
    return new RegistrationAnswer(
        registration.live().stream().filter(current::contains).toList(),
        registration.live().stream().filter(attempt -> !current.contains(attempt)).toList(),
        heartbeat.interval(),
        heartbeat.announcedLease());
  }

  private void settle(
      Handle handle,
      NodeRegistration registration,
      RegistrationAnswer answer,
      List<Booking> recorded,
      Instant now) {
    UUID id = registration.id();
    Set<AttemptId> notHeld =
        recorded.stream().map(Booking::attempt).collect(Collectors.toCollection(HashSet::new));
    registration.live().forEach(notHeld::remove);
    AttemptResult lost =
        AttemptResult.lost("node " + registration.name() + " registered without this attempt");
    declareLost(handle, id, notHeld, lost, now);
    attempts.markHeld(
        handle,
        id,
        recorded.stream()
            .filter(Booking::missing)
            .map(Booking::attempt)
            .filter(answer.keep()::contains)
            .toList());
    if (!answer.end().isEmpty()) {
      nodes.takesNothingYet(handle, id);
    }
  }

  /**
   * Ends attempts that their node does not hold, except for those that may still run: these are
   * marked as missing, and end after the time of their watchdog.
   */
  private void declareLost(
      Handle handle, UUID node, Set<AttemptId> notHeld, AttemptResult end, Instant now) {
    Set<AttemptId> mayStillRun = mayStillRun(handle, node, notHeld);
    List<AttemptId> ended =
        notHeld.stream().filter(attempt -> !mayStillRun.contains(attempt)).toList();
    attempts.end(handle, node, ended, end, now);
    if (!mayStillRun.isEmpty()) {
      LOGGER.info(
          "node {} does not list exclusive attempts {}, which may still run; they are declared lost"
              + " after their failover time",
          node,
          mayStillRun);
    }
    // After the ends, which lock jobs: reports lock jobs before bookings.
    attempts.markMissing(handle, node, mayStillRun, now);
  }

  /**
   * The exclusive attempts among those that a node does not list. A process of one may run although
   * the node's agent does not know it: the agent may use another copy of the data directory, or
   * have lost part of its own. An attempt that was never offered to the node does not run.
   */
  private Set<AttemptId> mayStillRun(Handle handle, UUID node, Set<AttemptId> notHeld) {
    return exclusives.offered(handle, node, notHeld);
  }

  /**
   * Deregisters a node that shuts down; its attempts go to the end of the queue (M-12), exclusive
   * ones whose end it has not reported only after the time of their watchdog.
   *
   * @param request the number of the request; a repetition changes nothing
   * @throws MillraceException STALE_REQUEST when a newer request of the node was accepted;
   *     UNKNOWN_NODE when the calling process has not registered
   */
  public void deregister(UUID id, RequestNumber request) {
    database.transaction(
        handle -> {
          NodeRow node = nodes.lock(handle, id).orElseThrow(() -> unknown(id));
          RequestSequence.requireNotOlder(node, nodes.ordered(handle, id), request);
          if (RequestSequence.isNew(node, request)) {
            if (request.incarnation() != node.request().incarnation()) {
              throw unknown(id);
            }
            retire(handle, node, request);
          }
          return null;
        });
  }

  private void retire(Handle handle, NodeRow node, RequestNumber request) {
    Instant now = time.now(handle);
    nodes.retire(handle, node.id(), now);
    nodes.took(handle, node.id(), request);
    Set<AttemptId> notHeld =
        attempts.of(handle, node.id()).stream().map(Booking::attempt).collect(Collectors.toSet());
    AttemptResult withdrawn = AttemptResult.withdrawn("node " + node.name() + " left");
    declareLost(handle, node.id(), notHeld, withdrawn, now);
  }

  /** The node of that id. */
  public NodeRow require(UUID id) {
    return database.read(handle -> nodes.find(handle, id)).orElseThrow(() -> unknown(id));
  }

  /** All execution nodes, by name. */
  public List<ExecutionNodeView> list() {
    return views.list();
  }

  private NodeRow row(NodeRegistration registration, RequestNumber request, Instant now) {
    List<String> pools = registration.pools();
    Map<String, String> attributes = registration.attributes();
    return NodeRow.heard(
            registration.id(),
            registration.name(),
            NodeKind.EXECUTION,
            registration.address(),
            null,
            request,
            now,
            heartbeat.lease())
        .running(
            registration.capacity(),
            pools == null || pools.isEmpty() ? List.of("default") : pools,
            attributes == null ? Map.of() : attributes,
            registration.version());
  }

  /** The answer to an unknown node, which makes it register. */
  public static MillraceException unknown(UUID id) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE, "node " + id + " is not registered; it must register again");
  }

  /** Rules for registrations. Pure. */
  private static final class RegistrationRules {
    private static final int MAX_SLOTS = 30_000;
    private static final int LONGEST_RESOURCES = 2_000;
    private static final int LONGEST_VERSION = 100;

    private RegistrationRules() {}

    static void check(NodeRegistration registration) {
      if (registration.id() == null || registration.address() == null) {
        throw refuse("id and address: both are required");
      }
      if (registration.capacity() == null || registration.live() == null) {
        throw refuse("capacity and live: both are required; live may be empty");
      }
      check(registration.capacity());
      requireSize("attributes", registration.attributes(), NodeRegistration.LONGEST_ATTRIBUTES);
      requireSize("resources", registration.capacity().resources(), LONGEST_RESOURCES);
      if (registration.version() != null && registration.version().length() > LONGEST_VERSION) {
        throw refuse("version: at most " + LONGEST_VERSION + " characters");
      }
    }

    // M-15: a cap on jobs per worker.
    private static void check(NodeCapacity capacity) {
      if (capacity.slots() < 1 || capacity.slots() > MAX_SLOTS) {
        throw refuse("slots: must be from 1 to %d, not %d".formatted(MAX_SLOTS, capacity.slots()));
      }
      if (!(capacity.cpus() >= 0) || capacity.memoryBytes() < 0) {
        throw refuse("cpus and memory: must not be negative; 0 means unknown");
      }
      capacity
          .resources()
          .forEach(
              (name, amount) -> {
                Names.require("resources", name, ErrorCode.INVALID_REQUEST);
                if (amount < 0) {
                  throw refuse(
                      "resources.%s: must not be negative (got %d)".formatted(name, amount));
                }
              });
    }

    private static void requireSize(String field, Map<String, ?> pairs, int max) {
      if (pairs != null && Json.write(pairs).length() > max) {
        throw refuse("%s: use at most %d characters in total".formatted(field, max));
      }
    }

    private static MillraceException refuse(String message) {
      return new MillraceException(ErrorCode.INVALID_REQUEST, message);
    }
  }
}
