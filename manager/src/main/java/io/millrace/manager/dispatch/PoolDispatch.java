package io.millrace.manager.dispatch;

import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.Placing;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.job.store.JobStore;
import io.millrace.manager.job.store.ReadyStore;
import io.millrace.manager.node.store.NodeRow;
import io.millrace.manager.node.store.NodeStore;
import io.millrace.manager.placement.OpenNode;
import io.millrace.manager.placement.PlacementPlan;
import io.millrace.manager.placement.PlacementSnapshot;
import io.millrace.manager.placement.Placer;
import io.millrace.manager.placement.ReadyJob;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.store.ClaimStore;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Places one pool's ready jobs in one transaction: claim locked, nodes locked, snapshot, decision,
 * attempts and bookings recorded. A node may serve several pools, whose claims others may hold; the
 * locks on its row keep two of them from booking the same slots. Thread-safe.
 */
public final class PoolDispatch {
  /** Jobs looked at in one transaction, so that no lock is held for long. */
  static final int MOST_JOBS = 1000;

  private static final int MOST_EXPLAINED = 100;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimStore claims;
  private final NodeStore nodes = new NodeStore();
  private final ReadyStore ready = new ReadyStore();
  private final JobStore jobs = new JobStore();
  private final NodeAttempts attempts;
  private final Placing placing;

  public PoolDispatch(
      Database database, ClaimStore claims, NodeAttempts attempts, Placing placing) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.attempts = attempts;
    this.placing = placing;
  }

  /** Pools with a waiting job. */
  List<String> pools() {
    return database.read(ready::pools);
  }

  /** Places what can be placed; returns how many, 0 when the claim is somebody else's by now. */
  public int run(Claim claim, String pool) {
    return database.transaction(
        handle -> claims.lock(handle, claim) ? place(handle, pool) : Integer.valueOf(0));
  }

  private int place(Handle handle, String pool) {
    List<NodeRow> employed = nodes.lockEmployed(handle);
    Instant now = time.now(handle);
    List<OpenNode> open = open(handle, employed, pool, now);
    PlacementPlan plan =
        Placer.place(new PlacementSnapshot(pool, jobs(handle, pool, open, now), open));
    jobs.explain(handle, plan.unplaceable());
    return plan.placements().isEmpty() ? 0 : placing.place(handle, plan.placements(), now);
  }

  private List<OpenNode> open(Handle handle, List<NodeRow> employed, String pool, Instant now) {
    Map<UUID, Integer> used = attempts.usedSlots(handle);
    return employed.stream()
        .filter(node -> node.pools().contains(pool))
        .map(node -> open(node, used.getOrDefault(node.id(), 0), now))
        .toList();
  }

  // A silent or draining node takes nothing now, but its size still tells what could ever fit.
  private static OpenNode open(NodeRow node, int used, Instant now) {
    boolean takes = node.accepting() && node.leaseUntil().isAfter(now);
    return new OpenNode(
        node.id(), node.name(), node.near(), node.slots(), takes ? node.slots() - used : -1);
  }

  // Jobs that fit nowhere now are left in the database, so that they can't crowd out others.
  private List<ReadyJob> jobs(Handle handle, String pool, List<OpenNode> open, Instant now) {
    int mostFree = open.stream().mapToInt(OpenNode::free).max().orElse(-1);
    int widest = open.stream().mapToInt(OpenNode::slots).max().orElse(0);
    List<ReadyJob> all = new ArrayList<>();
    if (mostFree >= 0) {
      all.addAll(ready.due(handle, pool, mostFree, now, MOST_JOBS));
    }
    all.addAll(ready.wider(handle, pool, widest, MOST_EXPLAINED));
    return all;
  }
}
