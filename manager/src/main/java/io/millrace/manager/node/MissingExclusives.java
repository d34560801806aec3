package io.millrace.manager.node;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.FailoverTime;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.node.ExclusiveDao.Exclusive;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares exclusive attempts lost that their node reports not to hold, once the watchdog has ended
 * their processes, if any (ADR 22). They are not renewed meanwhile, so the time is measured by this
 * process's monotonic clock since they were first seen to be missing. Used by one thread; blocks on
 * the database.
 */
final class MissingExclusives {
  private static final Logger LOGGER = LoggerFactory.getLogger(MissingExclusives.class);

  private record Seen(Instant missingAt, long sinceNanos) {}

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final NodeDao nodes = new NodeDao();
  private final ExclusiveDao exclusives = new ExclusiveDao();
  private final NodeAttempts attempts;
  private final Heartbeat heartbeat;
  private Map<AttemptId, Seen> seen = Map.of();
  private List<Exclusive> due = List.of();

  MissingExclusives(
      Database database, ClaimDao claims, NodeAttempts attempts, Heartbeat heartbeat) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.attempts = attempts;
    this.heartbeat = heartbeat;
  }

  /**
   * Finds those whose time has passed.
   *
   * @param known the nodes with their leases
   * @param nanos this process's monotonic clock
   */
  void observe(List<NodeRow> known, long nanos) {
    Map<UUID, Duration> leases =
        known.stream().collect(Collectors.toMap(NodeRow::id, NodeRow::lease));
    List<Exclusive> missing = database.read(exclusives::missing);
    Map<AttemptId, Seen> next = new HashMap<>();
    for (Exclusive one : missing) {
      Seen before = seen.get(one.attempt());
      boolean unchanged = before != null && before.missingAt().equals(one.missingAt());
      next.put(one.attempt(), unchanged ? before : new Seen(one.missingAt(), nanos));
    }
    seen = next;
    due =
        missing.stream()
            .filter(
                one -> {
                  Duration lease = leases.getOrDefault(one.node(), heartbeat.lease());
                  Duration release =
                      ExclusiveRelease.after(lease, one.failover(), heartbeat.killTime());
                  long since = seen.get(one.attempt()).sinceNanos();
                  return nanos - since >= release.toNanos();
                })
            .toList();
  }

  /** Ends, under the claim, those found by the last {@link #observe}. */
  void run(Claim claim) {
    for (Exclusive one : due) {
      database
          .transaction(
              handle -> claims.lock(handle, claim) ? end(handle, one) : Optional.<String>empty())
          .ifPresent(message -> LOGGER.warn("attempt {} lost: {}", one.attempt(), message));
    }
  }

  /** Returns why it was declared lost, for the log; empty if it was not. */
  private Optional<String> end(Handle handle, Exclusive one) {
    nodes.lockWork(handle, one.node());
    Optional<NodeRow> node = nodes.find(handle, one.node());
    // The node may have reported it meanwhile.
    if (!exclusives.of(handle, one.node()).contains(one)) {
      return Optional.empty();
    }
    String reason;
    String message;
    if (node.isEmpty()) {
      reason = "the node was removed before reporting how the attempt ended";
      message = reason;
    } else if (!node.get().lost()) {
      // It registered without it, or the attempt was withdrawn and the node does not hold it.
      reason = "node " + node.get().name() + " does not report this attempt";
      message = "node " + node.get().name() + " does not report it";
    } else {
      reason = "node " + node.get().name() + " shut down before reporting how the attempt ended";
      message = reason;
    }
    int ended =
        attempts.end(
            handle,
            one.node(),
            List.of(one.attempt()),
            AttemptResult.lost(reason),
            time.now(handle));
    return ended == 0 ? Optional.empty() : Optional.of(message);
  }

  /** When a single instance on a silent node may be started elsewhere. Pure. */
  static final class ExclusiveRelease {
    private ExclusiveRelease() {}

    /**
     * How long the node must have been silent. The watchdog on the node counts its deadline from
     * before a poll was sent, and the silence begins after that poll was taken: so the deadline is
     * over by then, and the watchdog has had its time to end the processes.
     *
     * @param lease lease of the node; a shorter failover is not possible
     * @param failover failover time of the job; null for the lease
     * @param killTime time for the watchdog to end the processes
     */
    static Duration after(Duration lease, Duration failover, Duration killTime) {
      return FailoverTime.of(failover, lease).plus(killTime);
    }
  }
}
