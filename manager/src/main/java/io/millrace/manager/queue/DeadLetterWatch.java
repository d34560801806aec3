package io.millrace.manager.queue;

import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Notices when queues that ask for it get dead letters, from what their nodes last reported. Runs
 * as a claimed duty, on one thread.
 */
public final class DeadLetterWatch {
  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final QueueDefinitions queues;
  private final QueueNodes nodes;

  public DeadLetterWatch(
      Database database, ClaimDao claims, QueueDefinitions queues, QueueNodes nodes) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.queues = queues;
    this.nodes = nodes;
  }

  /** One look. */
  public void run(Claim claim) {
    List<QueueDefinition> asking =
        queues.all().stream()
            .map(VersionedQueue::definition)
            .filter(queue -> QueueNotices.asks(queue, Occasion.DEAD))
            .toList();
    Map<String, Long> counted = database.read(DeadLetterDao::all);
    Set<String> names =
        asking.stream().map(QueueDefinition::name).collect(Collectors.toUnmodifiableSet());
    if (asking.isEmpty() && counted.isEmpty()) {
      return;
    }
    Map<String, Long> dead =
        QueueNodes.segments(nodes.all()).stream()
            .collect(
                Collectors.groupingBy(
                    SegmentFigures::queue, Collectors.summingLong(SegmentFigures::dead)));
    asking.stream()
        .filter(queue -> !dead.getOrDefault(queue.name(), 0L).equals(counted.get(queue.name())))
        .forEach(queue -> changed(claim, queue, dead.getOrDefault(queue.name(), 0L)));
    counted.keySet().stream()
        .filter(queue -> !names.contains(queue))
        .forEach(queue -> database.transaction(handle -> DeadLetterDao.forget(handle, queue)));
  }

  private void changed(Claim claim, QueueDefinition queue, long dead) {
    database.transaction(
        handle -> {
          if (claims.lock(handle, claim)) {
            long before = DeadLetterDao.count(handle, queue.name()).orElse(0L);
            DeadLetterDao.put(handle, queue.name(), dead);
            if (dead > before) {
              QueueNotices.died(handle, queue, dead - before, dead, time.now(handle));
            }
          }
          return null;
        });
  }
}
