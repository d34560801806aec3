package io.millrace.manager.pacing;

import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.manager.job.EndedAttempt;
import io.millrace.manager.job.JobWatcher;
import io.millrace.manager.job.UserRefusal;
import io.millrace.manager.pacing.Breaker.RunEnd;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueNotices;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates the breakers with the outcomes of worker runs, in the transaction that records them. A
 * queue whose workers all succeed costs one read per batch of reports. Thread-safe.
 */
public final class BreakerWatch implements JobWatcher {
  private static final Logger LOGGER = LoggerFactory.getLogger(BreakerWatch.class);
  private static final Set<Outcome> FAILED =
      EnumSet.of(
          Outcome.FAILED,
          Outcome.SIGNALLED,
          Outcome.TIMED_OUT,
          Outcome.MEMORY_EXCEEDED,
          Outcome.START_FAILED);

  private final QueueDefinitions definitions;

  public BreakerWatch(QueueDefinitions definitions) {
    this.definitions = definitions;
  }

  @Override
  public void attemptsEnded(Handle handle, List<EndedAttempt> ends, Instant now) {
    // By name, the order in which breakers are locked everywhere.
    Map<String, List<RunEnd>> runs = new TreeMap<>();
    for (EndedAttempt end : ends) {
      if (judged(end)) {
        RunEnd run =
            new RunEnd(
                end.job().id(), FAILED.contains(end.result().outcome()), end.result().event());
        runs.computeIfAbsent(end.job().queue(), queue -> new ArrayList<>()).add(run);
      }
    }
    if (runs.isEmpty()) {
      return;
    }
    Set<String> watching = BreakerDao.watching(handle, runs.keySet());
    runs.forEach(
        (queue, its) -> {
          if (watching.contains(queue) || its.stream().anyMatch(RunEnd::failed)) {
            update(handle, queue, its, now);
          }
        });
  }

  /** Lost, stopped, refused and idle runs are not evidence about the worker. */
  private static boolean judged(EndedAttempt end) {
    Outcome outcome = end.result().outcome();
    return end.job().kind() == JobKind.WORKER
        && end.job().queue() != null
        && (outcome == Outcome.SUCCEEDED || FAILED.contains(outcome))
        && !UserRefusal.is(end.result());
  }

  private void update(Handle handle, String queue, List<RunEnd> runs, Instant now) {
    Optional<QueueDefinition> definition =
        definitions.find(handle, queue).map(VersionedQueue::definition);
    BreakerDefinition rule =
        definition.map(found -> found.pacing().breaker()).orElse(BreakerDefinition.DEFAULT);
    Breaker before = BreakerDao.lock(handle, queue);
    Breaker after = before;
    for (RunEnd run : runs) {
      after = after.after(run, rule, now);
    }
    if (!after.equals(before)) {
      BreakerDao.put(handle, queue, after);
    }
    if (after.open() && !before.open()) {
      LOGGER.warn("the breaker of queue {} has opened: {}", queue, after.reason());
      String reason = after.reason();
      definition.ifPresent(found -> QueueNotices.broken(handle, found, reason, now));
    } else if (before.open() && !after.open()) {
      LOGGER.info("the breaker of queue {} has closed: its probes succeeded", queue);
    }
  }
}
