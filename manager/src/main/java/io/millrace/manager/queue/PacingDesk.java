package io.millrace.manager.queue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.json.Json;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.VersionedQueue;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.job.WorkerTally;
import io.millrace.manager.pacing.Gate;
import io.millrace.manager.queue.store.ControlTable;
import io.millrace.manager.queue.store.DecisionTable;
import io.millrace.manager.queue.store.PacingStateRow;
import io.millrace.manager.queue.store.PacingStateTable;
import io.millrace.manager.queue.store.WeightTable;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * What queue managers ask and tell. Thread-safe; every method blocks on the database.
 *
 * <p>A decision is recorded and carried out in one transaction that holds the lock of the attempt's
 * job, so that a manager that was replaced submits nothing, and that of the queue, so that its cap
 * holds over all its segments together.
 */
public final class PacingDesk {
  /** A decision that starts nothing and changes nothing is kept this often, as a sign of life. */
  private static final Duration KEEP_EVERY = Duration.ofMinutes(1);

  private static final int MOST_STARTS = 10_000;

  private final Database database;
  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final JobLedger ledger;

  public PacingDesk(
      Database database, QueueDefinitions definitions, QueueNodes nodes, JobLedger ledger) {
    this.database = database;
    this.definitions = definitions;
    this.nodes = nodes;
    this.ledger = ledger;
  }

  /** What is known for the manager of one segment; UNKNOWN_QUEUE when the queue is not defined. */
  public PacingView view(String name, String node) {
    VersionedQueue queue = definitions.require(name);
    WorkerTally own = ledger.workers(name, node);
    Optional<PacingStateRow> recorded =
        database.read(handle -> PacingStateTable.find(handle, name, node));
    Optional<QueueNodeView> holder = holder(node);
    return new PacingView(
        queue.definition(),
        queue.version(),
        holder.map(QueueNodeView::address).orElse(null),
        holder.map(one -> one.load().state()).orElse(NodeState.NORMAL),
        own.starting(),
        own.running(),
        ledger.outstandingWorkers(name),
        own.started(),
        own.finished(),
        own.failed(),
        own.startLatencySeconds(),
        own.runSeconds(),
        recorded.map(row -> Json.read(row.state(), JsonNode.class)).orElse(null),
        recorded.map(PacingStateRow::decidedAt).orElse(null),
        database.read(handle -> ControlTable.find(handle, name)).orElse(null),
        database.now());
  }

  /**
   * Records a decision and submits its workers.
   *
   * @throws MillraceException STALE_ATTEMPT when the attempt is not the manager's current one, and
   *     then nothing was done
   */
  public void record(String name, String node, PacingRecord decision) {
    if (decision.start() < 0 || decision.start() > MOST_STARTS) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "start is 0 to " + MOST_STARTS + ", not " + decision.start());
    }
    VersionedQueue queue = definitions.require(name);
    checkManages(decision.attempt(), name, node);
    Instant now = database.now();
    database.transaction(
        handle -> {
          if (!ledger.lockCurrent(handle, decision.attempt())) {
            throw stale(decision.attempt(), name, node);
          }
          WeightTable.lock(handle, name);
          PacingRecord capped = capped(handle, queue, paused(handle, name, decision));
          submit(handle, queue, node, capped.start());
          keep(handle, name, node, capped, now);
          return null;
        });
  }

  /** A current attempt of some other job is no manager of this segment either. */
  private void checkManages(AttemptId attempt, String queue, String node) {
    boolean manages =
        ledger
            .liveSingle(new SegmentKey(queue, node).managerName())
            .filter(job -> job.id() == attempt.job())
            .isPresent();
    if (!manages) {
      throw stale(attempt, queue, node);
    }
  }

  private static MillraceException stale(AttemptId attempt, String queue, String node) {
    return new MillraceException(
        ErrorCode.STALE_ATTEMPT,
        "attempt "
            + attempt
            + " is not the current one of the manager of "
            + queue
            + " on "
            + node
            + "; nothing was submitted, end it");
  }

  /** A manager that decided before it heard of the pause starts nothing either. */
  private static PacingRecord paused(Handle handle, String queue, PacingRecord decision) {
    Optional<QueueControl> control =
        ControlTable.find(handle, queue).filter(QueueControl::consumingPaused);
    if (control.isEmpty() || decision.start() == 0) {
      return decision;
    }
    return held(decision, 0, Gate.PAUSED.name(), control.get().words() + " → 0");
  }

  /** Two managers that decided at once may both have counted on the last free places. */
  private PacingRecord capped(Handle handle, VersionedQueue queue, PacingRecord decision) {
    int most = queue.definition().worker() == null ? 0 : queue.definition().pacing().maxWorkers();
    int outstanding = ledger.outstandingWorkers(handle, queue.definition().name());
    int allowed = Math.max(0, most - outstanding);
    if (decision.start() <= allowed) {
      return decision;
    }
    return held(
        decision,
        allowed,
        Gate.MAX_WORKERS.name(),
        outstanding + " of maxWorkers " + most + " are outstanding over all segments → " + allowed);
  }

  private static PacingRecord held(PacingRecord decision, int start, String gate, String why) {
    return new PacingRecord(
        decision.attempt(),
        start,
        decision.policy(),
        gate,
        decision.reason() + "; " + why,
        decision.inputs(),
        decision.state());
  }

  private void submit(Handle handle, VersionedQueue queue, String node, int count) {
    if (count > 0) {
      JobSpec worker = WorkerSpecs.worker(queue, node);
      ledger.submit(
          handle,
          JobKind.WORKER,
          "queue:" + queue.definition().name(),
          Collections.nCopies(count, worker));
    }
  }

  private static void keep(
      Handle handle, String queue, String node, PacingRecord decision, Instant now) {
    Optional<PacingStateRow> before = PacingStateTable.find(handle, queue, node);
    boolean worthKeeping =
        decision.start() > 0
            || before.isEmpty()
            || !before.get().keptGate().equals(decision.gate())
            || before.get().keptAt().plus(KEEP_EVERY).isBefore(now);
    PacingStateTable.put(
        handle,
        queue,
        node,
        new PacingStateRow(
            Json.write(decision.state()),
            now,
            before.map(PacingStateRow::decisions).orElse(0L) + 1,
            worthKeeping ? decision.gate() : before.get().keptGate(),
            worthKeeping ? now : before.get().keptAt()));
    if (worthKeeping) {
      DecisionTable.add(
          handle,
          queue,
          new PacingDecisionView(
              now,
              node,
              decision.attempt(),
              decision.start(),
              decision.policy(),
              decision.gate(),
              decision.reason(),
              decision.inputs()));
    }
  }

  private Optional<QueueNodeView> holder(String node) {
    return nodes.all().stream().filter(one -> one.name().equals(node)).findFirst();
  }
}
