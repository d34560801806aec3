package io.millrace.manager.node;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.node.NodeStatus;
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
 * Retires nodes that are silent for longer than their lease and gives their attempts up (M-03,
 * M-07); those of exclusive jobs only when a watchdog has ended what may still run. Retired
 * execution nodes with nothing left, and load balancers, are deleted after a while (M-15); queue
 * nodes are removed by operators. Runs as a claimed duty several times per lease, on one thread;
 * every central manager watches, so that who takes the duty over knows already who is silent.
 */
public final class NodeExpiry implements ClaimedDuty.Duty {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeExpiry.class);
  // Between two looks, which must not be far from each other.
  private static final int MOST_FORGOTTEN = 50;

  /**
   * What to do with the attempts of a silent node.
   *
   * @param due those that cannot run any more, or whose running on does no harm
   * @param mayRun how many others there are: exclusive ones that may still run
   */
  private record Ends(List<AttemptId> due, int mayRun) {}

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
        watch.look(() -> database.read(nodes::list), database::now, clock::nanoTime);
    silent = all.stream().filter(one -> one.length().compareTo(one.node().lease()) >= 0).toList();
    missing.observe(all.stream().map(Silence::node).toList(), clock.nanoTime());
  }

  /** One run under the claim, on what was observed just before. */
  @Override
  public void run(Claim claim) {
    for (Silence one : toDo()) {
      database
          .transaction(handle -> claims.lock(handle, claim) ? end(handle, one) : Optional.empty())
          .ifPresent(words -> LOGGER.warn("{}", words));
    }
    missing.run(claim);
  }

  // Retired nodes stay for long, and may be thousands; most looks find nothing to do for them.
  private List<Silence> toDo() {
    Map<Boolean, List<Silence>> byRetired =
        silent.stream().collect(Collectors.partitioningBy(one -> one.node().lost()));
    List<Silence> all = new ArrayList<>(byRetired.get(false));
    List<Silence> retired = byRetired.get(true);
    if (!retired.isEmpty()) {
      database.read(handle -> all.addAll(toDo(handle, retired)));
    }
    return all;
  }

  private List<Silence> toDo(Handle handle, List<Silence> retired) {
    List<UUID> execution =
        retired.stream()
            .map(Silence::node)
            .filter(node -> node.kind() == NodeKind.EXECUTION)
            .map(NodeRow::id)
            .toList();
    Set<UUID> booked = bookings.booked(handle, execution);
    Instant now = time.now(handle);
    List<Silence> some = new ArrayList<>();
    retired.stream()
        .filter(one -> booked.contains(one.node().id()) && !ends(handle, one).due().isEmpty())
        .forEach(some::add);
    retired.stream()
        .filter(one -> !booked.contains(one.node().id()) && outlived(one.node(), now))
        .limit(MOST_FORGOTTEN)
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
    if (node.order().excusesSilence(now)) {
      return Optional.empty();
    }
    boolean retired = nodes.retire(handle, node.id(), now);
    Ends ends = ends(handle, one);
    String reason = "node " + node.name() + " lost";
    int lost = attempts.end(handle, node.id(), ends.due(), AttemptResult.lost(reason), now);
    if (retired) {
      return Optional.of(reason + words(one.length(), lost, ends.mayRun()));
    }
    if (lost == 0) {
      return forget(handle, node, now);
    }
    return Optional.of(
        "node "
            + node.name()
            + ": exclusive attempts declared lost after their failover time: "
            + lost);
  }

  private static String words(Duration silence, int lost, int mayRun) {
    String words =
        String.format(
            Locale.ROOT,
            ": no heartbeat for %.1f s; attempts declared lost: %d",
            silence.toMillis() / 1000.0,
            lost);
    return mayRun == 0
        ? words
        : words + ", exclusive attempts that may still be running: " + mayRun;
  }

  private Ends ends(Handle handle, Silence one) {
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
    return new Ends(due, mayRun);
  }

  private Optional<String> forget(Handle handle, NodeRow node, Instant now) {
    if (!outlived(node, now) || !attempts.of(handle, node.id()).isEmpty()) {
      return Optional.empty();
    }
    nodes.delete(handle, node.id());
    return Optional.of("node " + node.name() + " was retired for long and is forgotten");
  }

  private boolean outlived(NodeRow node, Instant now) {
    return node.kind() != NodeKind.QUEUE
        && node.lost()
        && node.requested(now) == NodeStatus.ACTIVE
        && node.retiredAt() != null
        && !node.retiredAt().plus(heartbeat.forgetAfter()).isAfter(now);
  }
}
