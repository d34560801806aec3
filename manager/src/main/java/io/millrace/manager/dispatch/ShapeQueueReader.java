package io.millrace.manager.dispatch;

import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.job.ReadyJobDao.Head;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Reads the waiting jobs of a pool by shape: one row of an index for each shape, however many jobs
 * wait. A read covers a bounded number of shapes and the next one continues where it ended.
 * Thread-safe.
 */
public final class ShapeQueueReader {
  static final int MAX_SHAPES = 200;

  /**
   * The waiting jobs of a pool, by shape.
   *
   * @param due shapes with a job that may start now
   * @param nextDue when the next job of another shape may start; null for none
   */
  record ShapeQueues(List<ShapeQueue> due, Instant nextDue) {}

  private final ReadyJobDao ready = new ReadyJobDao();
  private final ShapeDao shapes;
  private final int max;
  // Where the last read ended; losing it only affects fairness among very many shapes.
  private final Map<String, Long> lastSeen = new ConcurrentHashMap<>();

  ShapeQueueReader(ShapeDao shapes, int max) {
    this.shapes = shapes;
    this.max = max;
  }

  ShapeQueues read(Handle handle, String pool, Instant now) {
    List<Head> heads = heads(handle, pool);
    Map<Long, Shape> known = shapes.find(handle, heads.stream().map(Head::shape).toList());
    Map<Long, ReadyJob> jobs =
        ready.withFailures(handle, heads.stream().map(Head::job).toList()).stream()
            .collect(Collectors.toMap(ReadyJob::id, Function.identity(), (a, b) -> b));
    List<ShapeQueue> due = new ArrayList<>();
    Instant nextDue = null;
    for (Head head : heads) {
      Shape shape = known.get(head.shape());
      if (shape == null) {
        continue;
      }
      ReadyJob job = jobs.get(head.job().id());
      if (!job.readyAt().isAfter(now)) {
        due.add(
            new ShapeQueue(
                head.shape(),
                shape,
                job,
                (last, count) -> ready.after(handle, pool, head.shape(), last, now, count)));
      } else if (nextDue == null || job.readyAt().isBefore(nextDue)) {
        nextDue = job.readyAt();
      }
    }
    return new ShapeQueues(due, nextDue);
  }

  private List<Head> heads(Handle handle, String pool) {
    List<Head> heads = new ArrayList<>();
    long start = lastSeen.getOrDefault(pool, 0L);
    boolean wrapped = start == 0;
    long last = start;
    while (heads.size() < max) {
      Optional<Head> next = ready.nextShape(handle, pool, last);
      if (next.isEmpty() && wrapped) {
        break;
      }
      last = next.map(Head::shape).orElse(0L);
      wrapped |= next.isEmpty();
      if (next.isPresent()) {
        if (wrapped && start > 0 && last > start) {
          break;
        }
        heads.add(next.get());
      }
    }
    lastSeen.put(pool, heads.size() < max ? 0 : last);
    return heads;
  }
}
