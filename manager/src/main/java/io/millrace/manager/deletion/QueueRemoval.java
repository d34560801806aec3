package io.millrace.manager.deletion;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.manager.definition.DefinitionDao;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionRemoval;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.node.KnownQueueNode;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.pacing.BreakerDao;
import io.millrace.manager.pacing.QueueManagerSpecs;
import io.millrace.manager.queue.ControlDao;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes queues. The queue nodes follow a deletion with the topology: each closes the queue,
 * drains or drops what it holds, removes its segment and reports that. When all have done so,
 * workers and managers are stopped, and when these have ended, what the central database holds of
 * the queue besides its history is removed. Every step can be repeated, and is done by whichever
 * central manager has the duty. Thread-safe; blocks on the database.
 */
public final class QueueRemoval implements DefinitionRemoval {
  /** A node that was away for longer keeps what it holds of a queue deleted meanwhile. */
  private static final Duration FOLLOWED = Duration.ofDays(30);

  private static final int MAX_FOLLOWED = 1_000;
  private static final int CHUNK = 500;
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueRemoval.class);

  private final Database database;
  private final DatabaseTime time;
  private final QueueNodeRegistry queueNodes;
  private final NodeDao executionNodes = new NodeDao();
  private final JobLedger ledger;
  private final QueueRows rows;

  /**
   * Deletions of queues.
   *
   * @param rows what the database holds of a queue besides its history
   */
  public QueueRemoval(
      Database database, QueueNodeRegistry queueNodes, JobLedger ledger, QueueRows rows) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.queueNodes = queueNodes;
    this.ledger = ledger;
    this.rows = rows;
  }

  @Override
  public String kind() {
    return QueueKind.KEYWORD;
  }

  @Override
  public RemovalPlan plan(
      Handle handle, DefinitionRow inForce, DeletionMode mode, DeletionRow before) {
    if (mode == DeletionMode.STOP) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "a queue is deleted with DRAIN or DISCARD, not with STOP");
    }
    String queue = inForce.name();
    QueueContent content = QueueContent.of(queue, queueNodes.all(handle));
    boolean external = QueueContent.definition(inForce).external();
    int workers = external ? ledger.liveWorkers(handle, queue, CHUNK).size() : 0;
    if (mode == null && (!content.empty() || workers > 0)) {
      throw new MillraceException(ErrorCode.CONFLICT, content.refusal(workers));
    }
    // Events may have arrived since the last reports: without an option none is dropped.
    DeletionMode chosen = mode == null || mode == DeletionMode.NONE ? DeletionMode.DRAIN : mode;
    List<String> work = content.work(workers);
    return chosen == DeletionMode.DISCARD
        ? new RemovalPlan(chosen, DeletionState.ENDING, content.events(), work)
        : new RemovalPlan(chosen, DeletionState.DELETING, 0, work);
  }

  @Override
  public void begin(Handle handle, DeletionRow begun, Instant now) {
    // The queue nodes begin when they follow it.
  }

  @Override
  public List<String> waitsFor(DeletionRow open) {
    return database.read(
        handle -> {
          QueueDefinition definition = definition(handle, open);
          QueueContent content =
              QueueContent.of(
                  open.name(), definition.external() ? List.of() : queueNodes.all(handle));
          // Leased events are being processed.
          List<String> waits =
              content.waits(
                  open, content.waiting() == 0 ? List.of() : obstacles(handle, definition));
          return waits.isEmpty() ? programs(handle, open.name()) : waits;
        });
  }

  /**
   * Why no worker of the queue processes its events, each with what to do; empty if workers are
   * started.
   */
  private List<String> obstacles(Handle handle, QueueDefinition definition) {
    String queue = definition.name();
    List<String> obstacles = new ArrayList<>();
    if (ControlDao.find(handle, queue).filter(QueueControl::consumingPaused).isPresent()) {
      obstacles.add(
          "consuming is paused: resume it with 'millrace queue resume %s'".formatted(queue));
    }
    if (definition.worker() == null) {
      obstacles.add("the queue has no worker: start a program that takes its events");
      return obstacles;
    }
    if (BreakerDao.open(handle, queue).isPresent()) {
      obstacles.add(
          "its workers fail, so that only probes are started: 'millrace queue logs %s --failed' shows why"
              .formatted(queue));
    }
    String pool = definition.worker().pool();
    Instant now = time.now(handle);
    if (executionNodes.employed(handle).stream()
        .noneMatch(node -> node.pools().contains(pool) && node.takesJobs(now))) {
      obstacles.add(
          "no execution node of pool %s takes jobs: start or undrain one".formatted(pool));
    }
    return obstacles;
  }

  private List<String> programs(Handle handle, String queue) {
    int workers = ledger.liveWorkers(handle, queue, CHUNK).size();
    if (workers > 0) {
      return List.of(workers == 1 ? "a worker to end" : workers + " workers to end");
    }
    return noManager(queue) ? List.of() : List.of("its queue managers to end");
  }

  private static QueueDefinition definition(Handle handle, DeletionRow row) {
    return DefinitionDao.version(handle, row.kind(), row.name(), row.version())
        .map(QueueContent::definition)
        .orElseThrow();
  }

  @Override
  public int lastRefused(Handle handle, String queue) {
    return QueueContent.lastClosed(queue, queueNodes.all(handle));
  }

  @Override
  public void advance(DeletionRow open) {
    boolean external = database.read(handle -> definition(handle, open).external());
    boolean closed = external || database.read(handle -> closed(queueNodes.all(handle), open));
    DeletionState state = open.state();
    if (state == DeletionState.DELETING && closed) {
      state = ending(open);
    }
    if (state != DeletionState.ENDING) {
      return;
    }
    if (!external || open.mode() == DeletionMode.DISCARD) {
      cancelWorkers(open);
    }
    if (closed && noManager(open.name())) {
      database.transaction(handle -> finish(handle, open, external));
    }
  }

  /** Whether every node has closed the queue and removed its segment. */
  private static boolean closed(List<KnownQueueNode> nodes, DeletionRow row) {
    return nodes.stream().allMatch(node -> QueueContent.closed(node, row));
  }

  private DeletionState ending(DeletionRow open) {
    return database.transaction(
        handle -> {
          DeletionRow now =
              DeletionDao.lock(handle, open.kind(), open.name(), open.version()).orElseThrow();
          if (now.state() == DeletionState.DELETING) {
            DeletionDao.update(handle, now.in(DeletionState.ENDING, null));
            return DeletionState.ENDING;
          }
          return now.state();
        });
  }

  private void cancelWorkers(DeletionRow open) {
    List<Long> live = database.read(handle -> ledger.liveWorkers(handle, open.name(), CHUNK));
    if (!live.isEmpty()) {
      ledger.cancel(live, "queue %s is deleted by %s".formatted(open.name(), open.saidBy()));
    }
  }

  /** The supervision of managers ends them. */
  private boolean noManager(String queue) {
    return ledger.liveManagers().stream()
        .flatMap(job -> QueueManagerSpecs.managed(job).stream())
        .noneMatch(segment -> segment.queue().equals(queue));
  }

  private Void finish(Handle handle, DeletionRow open, boolean external) {
    rows.lock(handle, open.name());
    DeletionRow row =
        DeletionDao.lock(handle, open.kind(), open.name(), open.version()).orElseThrow();
    boolean over =
        row.state() == DeletionState.ENDING
            && (external || closed(queueNodes.all(handle), row))
            && ledger.liveWorkers(handle, open.name(), 1).isEmpty();
    if (over) {
      Instant now = time.now(handle);
      rows.remove(handle, open.name(), open.saidBy(), now);
      DeletionDao.update(handle, row.in(DeletionState.DELETED, now));
      LOGGER.info("queue {} is deleted", open.name());
    }
    return null;
  }

  @Override
  public void tidy(Handle handle, DeletionRow done) {
    rows.lock(handle, done.name());
    if (DefinitionDao.inForce(handle, done.kind(), done.name()).isEmpty()) {
      rows.remove(handle, done.name(), done.saidBy(), time.now(handle));
    }
  }

  /** The deletions that queue nodes and load balancers follow, the latest of each queue. */
  public List<QueueDeletion> followed() {
    return database.read(
        handle -> {
          Map<String, QueueDeletion> latest = new LinkedHashMap<>();
          Instant since = time.now(handle).minus(FOLLOWED);
          DeletionDao.done(handle, kind(), since, MAX_FOLLOWED).forEach(row -> add(latest, row));
          DeletionDao.open(handle, kind()).forEach(row -> add(latest, row));
          return latest.values().stream()
              .sorted((one, other) -> one.queue().compareTo(other.queue()))
              .toList();
        });
  }

  private static void add(Map<String, QueueDeletion> latest, DeletionRow row) {
    latest.merge(
        row.name(),
        new QueueDeletion(row.name(), row.version(), row.mode(), row.done()),
        (one, other) -> one.version() > other.version() ? one : other);
  }
}
