package io.millrace.manager.pacing;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.pacing.AllowanceDao.Allowance;
import io.millrace.manager.pacing.PacingStateDao.Lacking;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.queue.WorkerSpecs;
import io.millrace.manager.weight.WeightDao;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts workers in places that become free between the decisions of queue managers, as far as
 * their decisions allow it ({@link PlaceAllowance}): at once when a worker ends, and twice a second
 * for places that became free elsewhere. Thread-safe; its thread blocks on the database.
 *
 * <p>Each start is one transaction for a queue, with the locks of a decision in the same order: the
 * jobs of its queue managers, so that one that was replaced starts nothing, then the queue, so that
 * its caps apply over all segments together. The segment that has lacked workers longest is served
 * first.
 */
public final class PlaceRefill implements JobWatcher, Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(PlaceRefill.class);
  private static final Duration SWEEP = Duration.ofMillis(500);

  private final Database database;
  private final DatabaseTime time;
  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final JobLedger ledger;
  private final PacingCaps caps;
  private final Clock clock;
  private final Loop loop;
  // Names of defined queues whose workers have ended; emptied by each cycle.
  private final Set<String> ended = ConcurrentHashMap.newKeySet();
  // Only touched by the loop's thread.
  private long sweptAt;

  public PlaceRefill(
      Database database,
      QueueDefinitions definitions,
      QueueNodes nodes,
      JobLedger ledger,
      Clock clock) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.definitions = definitions;
    this.nodes = nodes;
    this.ledger = ledger;
    this.caps = new PacingCaps(ledger);
    this.clock = clock;
    this.sweptAt = clock.nanoTime() - SWEEP.toNanos();
    this.loop = new Loop("refill-places", SWEEP, this::cycle);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  @Override
  public void jobsEnded(Handle handle, List<EndedJob> ends, Instant now) {
    Set<String> queues =
        ends.stream()
            .filter(end -> end.job().kind() == JobKind.WORKER && end.job().queue() != null)
            .map(end -> end.job().queue())
            .collect(Collectors.toSet());
    if (!queues.isEmpty()) {
      handle.afterCommit(
          () -> {
            ended.addAll(queues);
            loop.wake();
          });
    }
  }

  /** Serves the queues whose workers have ended, and now and then all; returns workers started. */
  int cycle() {
    Set<String> woken = new TreeSet<>(ended);
    ended.removeAll(woken);
    boolean sweep = clock.nanoTime() - sweptAt >= SWEEP.toNanos();
    if (woken.isEmpty() && !sweep) {
      return 0;
    }
    List<String> allowed = database.read(AllowanceDao::queues);
    if (sweep) {
      sweptAt = clock.nanoTime();
    }
    List<String> due =
        allowed.stream().filter(queue -> sweep || woken.contains(queue)).sorted().toList();
    if (due.isEmpty()) {
      return 0;
    }
    Map<String, NodeState> states =
        nodes.all().stream()
            .collect(
                Collectors.toMap(QueueNodeView::name, node -> node.load().state(), (a, b) -> a));
    int started = 0;
    for (String queue : due) {
      started += refill(queue, states);
    }
    return started;
  }

  /** One queue's failure, such as a deadlock that was not resolved, does not affect the others. */
  private int refill(String queue, Map<String, NodeState> states) {
    try {
      return definitions
          .find(queue)
          .filter(found -> found.definition().worker() != null)
          .map(found -> refill(found, states))
          .orElse(0);
    } catch (RuntimeException e) {
      LOGGER.warn("free places of queue {} are left to its next decision", queue, e);
      return 0;
    }
  }

  private int refill(VersionedQueue queue, Map<String, NodeState> states) {
    String name = queue.definition().name();
    List<AttemptId> attempts =
        database.read(handle -> AllowanceDao.find(handle, name)).stream()
            .filter(row -> row.remaining() > 0)
            .map(Allowance::attempt)
            .toList();
    return attempts.isEmpty()
        ? 0
        : database.transaction(handle -> refill(handle, queue, states, attempts));
  }

  private int refill(
      Handle handle,
      VersionedQueue queue,
      Map<String, NodeState> states,
      List<AttemptId> attempts) {
    String name = queue.definition().name();
    Map<AttemptId, String> current = ledger.lockCurrent(handle, attempts);
    WeightDao.lock(handle, name);
    // Its probes are started by decisions.
    if (DeletionDao.ending(handle, QueueKind.KEYWORD, name, queue.version())
        || BreakerDao.open(handle, name).isPresent()) {
      return 0;
    }
    Instant now = time.now(handle);
    QueueDefinition inForce =
        PacingViews.inForce(
            queue.definition(), OverrideDao.inForce(handle, name, now).orElse(null));
    Map<String, Integer> starting = ledger.startingWorkers(handle, name);
    int started = 0;
    for (Allowance row : byNeed(handle, queue.definition(), now)) {
      String manager = new SegmentKey(name, row.node()).managerName();
      if (manager.equals(current.get(row.attempt()))) {
        int freeStarts = inForce.pacing().maxStarting() - starting.getOrDefault(row.node(), 0);
        NodeState state = states.getOrDefault(row.node(), NodeState.NORMAL);
        started += refill(handle, queue, inForce, row, state, freeStarts, now);
      }
    }
    return started;
  }

  /**
   * The allowances of recent decisions; that of the segment that has lacked workers longest first.
   */
  private static List<Allowance> byNeed(Handle handle, QueueDefinition queue, Instant now) {
    Instant fresh = now.minus(PacingCaps.fresh(queue));
    Map<String, Instant> since =
        PacingStateDao.lacking(handle, queue.name(), fresh).stream()
            .filter(one -> one.since() != null)
            .collect(Collectors.toMap(Lacking::node, Lacking::since));
    List<Allowance> rows = new ArrayList<>(AllowanceDao.find(handle, queue.name()));
    rows.removeIf(row -> row.remaining() == 0 || row.decidedAt().isBefore(fresh));
    rows.sort(
        Comparator.comparing((Allowance row) -> since.getOrDefault(row.node(), now))
            .thenComparing(Allowance::node));
    return rows;
  }

  private int refill(
      Handle handle,
      VersionedQueue queue,
      QueueDefinition inForce,
      Allowance row,
      NodeState state,
      int freeStarts,
      Instant now) {
    String name = inForce.name();
    PacingDefinition pacing = inForce.pacing();
    int outstanding =
        ledger.outstandingWorkers(handle, name).values().stream().mapToInt(Integer::intValue).sum();
    int wanted =
        new PlaceAllowance(row.remaining())
            .startable(state, pacing.maxWorkers() - outstanding, freeStarts);
    if (wanted == 0) {
      return 0;
    }
    PacingRecord record =
        new PacingRecord(
            row.attempt(), wanted, pacing.policy(), Gate.NONE.name(), "", Map.of(), null);
    int start = caps.apply(handle, queue.definition(), row.node(), record, now).start();
    if (start > 0 && AllowanceDao.use(handle, name, row, start)) {
      ledger.submit(
          handle,
          JobKind.WORKER,
          "queue:" + name,
          Collections.nCopies(start, WorkerSpecs.worker(queue, row.node())));
      PacingStateDao.served(handle, name, row.node(), start, now);
      return start;
    }
    return 0;
  }
}
