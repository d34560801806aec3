package io.millrace.manager.dispatch;

import io.millrace.manager.job.JobDao;
import io.millrace.manager.job.JobFacts;
import io.millrace.manager.job.ReadyJobDao;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/**
 * Gives shapes to waiting jobs that have none because a central manager of an older version took
 * them. Thread-safe.
 */
final class Shapeless {
  private static final int MOST = 500;

  private final ReadyJobDao ready = new ReadyJobDao();
  private final JobDao jobs = new JobDao();
  private final ShapeDao shapes;

  Shapeless(ShapeDao shapes) {
    this.shapes = shapes;
  }

  /** Some of a pool, under its dispatch claim. */
  void adopt(Handle handle, String pool) {
    List<Long> ids = ready.shapeless(handle, pool, MOST);
    if (ids.isEmpty()) {
      return;
    }
    Map<Long, Shape> wanted = new HashMap<>();
    for (JobFacts job : jobs.lock(handle, ids)) {
      wanted.put(job.id(), shape(job));
    }
    Map<Shape, Long> known = shapes.idsOf(handle, wanted.values());
    Map<Long, Long> found = new HashMap<>();
    wanted.forEach((job, shape) -> found.put(job, known.get(shape)));
    ready.setShapes(handle, found);
  }

  private static Shape shape(JobFacts job) {
    String share = job.queue() == null ? job.share() : "queue:" + job.queue();
    return Shape.ofSlots(job.pool(), share, job.priority(), job.slots());
  }
}
