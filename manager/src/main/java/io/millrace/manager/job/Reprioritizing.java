package io.millrace.manager.job;

import static java.util.stream.Collectors.toSet;

import io.millrace.manager.job.HistoryDao.Line;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import io.millrace.manager.job.PriorityDao.Priority;
import io.millrace.manager.placement.Shape;
import io.millrace.manager.placement.ShapeDao;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** Changes priorities: of jobs that wait at once, of those that run from their next try. */
final class Reprioritizing {
  private final PriorityDao store = new PriorityDao();
  private final HistoryDao history = new HistoryDao();
  private final ShapeDao shapes;
  private final WakeUps wakeUps;

  Reprioritizing(ShapeDao shapes, WakeUps wakeUps) {
    this.shapes = shapes;
    this.wakeUps = wakeUps;
  }

  void apply(
      Handle handle,
      List<JobFacts> locked,
      ActionRequest request,
      ActionResult result,
      Instant now) {
    int priority = request.priority();
    String words = request.words("priority set to " + priority);
    List<JobFacts> changing = new ArrayList<>();
    for (JobFacts job : locked) {
      if (job.state().ended()) {
        result.refused(job.id(), "has ended already: " + job.state());
      } else if (job.priority() == priority) {
        result.refused(job.id(), "has priority " + priority + " already");
      } else {
        changing.add(job);
        result.changed(job.id());
      }
    }
    if (changing.isEmpty()) {
      return;
    }
    Map<Long, Long> moved = moved(handle, changing, priority);
    store.change(
        handle,
        changing.stream()
            .map(job -> new Priority(job, priority, moved.get(job.shapeId())))
            .toList());
    history.write(
        handle,
        changing.stream()
            .map(job -> new Line(job.id(), job.state(), job.attempt(), words))
            .toList(),
        now);
    changing.forEach(job -> wakeUps.jobChanged(handle, job.id()));
    wakeUps.ready(handle);
  }

  /** The shapes of that priority, by the ids of the old ones. */
  private Map<Long, Long> moved(Handle handle, List<JobFacts> jobs, int priority) {
    Map<Long, Shape> old =
        shapes.find(handle, jobs.stream().map(JobFacts::shapeId).collect(toSet()));
    Map<Shape, Long> ids =
        shapes.idsOf(
            handle, old.values().stream().map(shape -> shape.withPriority(priority)).toList());
    Map<Long, Long> moved = new HashMap<>();
    old.forEach((id, shape) -> moved.put(id, ids.get(shape.withPriority(priority))));
    return moved;
  }
}
