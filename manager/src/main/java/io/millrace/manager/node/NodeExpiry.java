package io.millrace.manager.node;

import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.manager.job.BookingDao;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.node.ExclusiveDao.Exclusive;
import io.millrace.manager.node.MissingExclusives.ExclusiveRelease;
import io.millrace.manager.node.SilenceWatch.Silence;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks nodes as lost that are silent for longer than their lease, and declares their attempts lost
 * (M-03, M-07); those of exclusive jobs only when a watchdog has ended what may still run. Lost
 * execution nodes without attempts, and load balancers, are deleted after a while (M-15); queue
 * nodes are removed by operators. Runs as a claimed duty several times per lease, on one thread;
 * every central manager observes, so that one that takes the duty over knows which are silent.
 */
public final class NodeExpiry implements ClaimedDuty.Duty {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeExpiry.class);
  // In one run, because observations must follow one another quickly.
  private static final int MAX_REMOVED = 50;

  /**
   * The attempts of a silent node.
   *
   * @param due those to be declared lost: they cannot be running, or may run without harm
   * @param mayRun number of the others: exclusive ones that may still run
   */
  private record SilentAttempts(List<AttemptId> due, int mayRun) {}

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final NodeDao nodes = new NodeDao();
  private final ExclusiveDao exclusives = new ExclusiveDao();
  private final NodeAttempts attempts;
  private final Clock clock;
  private final Heartbeat heartbeat;
  private final SilenceWatch watch;
  private final BookingDao bookings = new BookingDao();
  private final MissingExclusives missing;
  // Only touched by the duty's thread.
  private List<Silence> silent = List.of();

  public NodeExpiry(
      Database database,
      ClaimDao claims,
      NodeAttempts attempts,
      Clock clock,
      WriteProof proof,
      Heartbeat heartbeat) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.attempts = attempts;
    this.clock = clock;
    this.heartbeat = heartbeat;
    this.watch = new SilenceWatch(heartbeat.lease().dividedBy(2), proof::require);
    this.missing = new MissingExclusives(database, claims, attempts, heartbeat);
  }

  @Override
  public void observe() {
    silent = List.of();
    List<Silence> all =
        watch.observe(() -> database.read(nodes::list), database::now, clock::nanoTime);
    silent = all.stream().filter(one -> one.length().compareTo(one.node().lease()) >= 0).toList();
    missing.observe(all.stream().map(Silence::node).toList(), clock.nanoTime());
  }

  /** One run under the claim, on what was observed just before. */
  @Override
  public void run(Claim claim) {
    for (Silence one : actionable()) {
      database
          .transaction(handle -> claims.lock(handle, claim) ? end(handle, one) : Optional.empty())
          .ifPresent(message -> LOGGER.warn("{}", message));
    }
    missing.run(claim);
  }

  // Lost nodes are kept for long, and may be thousands; usually nothing is to be done for them.
  private List<Silence> actionable() {
    Map<Boolean, List<Silence>> byLost =
        silent.stream().collect(Collectors.partitioningBy(one -> one.node().lost()));
    List<Silence> all = new ArrayList<>(byLost.get(false));
    List<Silence> lostNodes = byLost.get(true);
    if (!lostNodes.isEmpty()) {
      database.read(handle -> all.addAll(actionable(handle, lostNodes)));
    }
    return all;
  }

  private List<Silence> actionable(Handle handle, List<Silence> lostNodes) {
    List<UUID> execution =
        lostNodes.stream()
            .map(Silence::node)
            .filter(node -> node.kind() == NodeKind.EXECUTION)
            .map(NodeRow::id)
            .toList();
    Set<UUID> withBookings = bookings.booked(handle, execution);
    Instant now = time.now(handle);
    List<Silence> some = new ArrayList<>();
    lostNodes.stream()
        .filter(
            one ->
                withBookings.contains(one.node().id())
                    && !silentAttempts(handle, one).due().isEmpty())
        .forEach(some::add);
    lostNodes.stream()
        .filter(one -> !withBookings.contains(one.node().id()) && mayBeForgotten(one.node(), now))
        .limit(MAX_REMOVED)
        .forEach(some::add);
    return some;
  }

  private Optional<String> end(Handle handle, Silence one) {
    Optional<NodeRow> found =
        nodes
            .lock(handle, one.node().id())
            .filter(node -> node.heardAt().equals(one.node().heardAt()));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    NodeRow node = found.get();
    Instant now = time.now(handle);
    if (node.requestedStatus().excusesSilence(now)) {
      return Optional.empty();
    }
    boolean newlyLost = nodes.retire(handle, node.id(), now);
    SilentAttempts silentAttempts = silentAttempts(handle, one);
    String reason = "node " + node.name() + " lost";
    int lost =
        attempts.end(handle, node.id(), silentAttempts.due(), AttemptResult.lost(reason), now);
    if (newlyLost) {
      return Optional.of(reason + details(one.length(), lost, silentAttempts.mayRun()));
    }
    if (lost == 0) {
      return forget(handle, node, now);
    }
    return Optional.of(
        "node %s: exclusive attempts declared lost after their failover time: %d"
            .formatted(node.name(), lost));
  }

  private static String details(Duration silence, int lost, int mayRun) {
    String details =
        String.format(
            Locale.ROOT,
            ": no heartbeat for %.1f s; attempts declared lost: %d",
            silence.toMillis() / 1000.0,
            lost);
    return mayRun == 0
        ? details
        : details + ", exclusive attempts that may still be running: " + mayRun;
  }

  private SilentAttempts silentAttempts(Handle handle, Silence one) {
    List<AttemptId> due =
        new ArrayList<>(
            attempts.of(handle, one.node().id()).stream().map(Booking::attempt).toList());
    int mayRun = 0;
    for (Exclusive exclusive : exclusives.of(handle, one.node().id())) {
      Duration release =
          ExclusiveRelease.after(one.node().lease(), exclusive.failover(), heartbeat.killTime());
      if (exclusive.offered() && one.length().compareTo(release) < 0) {
        due.remove(exclusive.attempt());
        mayRun++;
      }
    }
    return new SilentAttempts(due, mayRun);
  }

  private Optional<String> forget(Handle handle, NodeRow node, Instant now) {
    if (!mayBeForgotten(node, now) || !attempts.of(handle, node.id()).isEmpty()) {
      return Optional.empty();
    }
    nodes.delete(handle, node.id());
    return Optional.of("node " + node.name() + " was lost too long ago and has been removed");
  }

  private boolean mayBeForgotten(NodeRow node, Instant now) {
    return node.kind() != NodeKind.QUEUE
        && node.lost()
        && node.requested(now) == NodeStatus.ACTIVE
        && node.retiredAt() != null
        && !node.retiredAt().plus(heartbeat.forgetAfter()).isAfter(now);
  }
}
