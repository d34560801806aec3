package io.millrace.queuenode.node;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.queuenode.session.SessionService;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of this node as meters (M-14), and how many each worker has, of at most 100 workers
 * of all queues. One thread calls {@link #refresh}.
 */
final class SessionMeters {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionMeters.class);
  private static final int MOST_WORKERS = 100;

  private final MeterRegistry registry;
  private final SessionService sessions;
  private final Map<String, QueueFigures> latest = new ConcurrentHashMap<>();
  private final Map<WorkerOfQueue, Integer> assigned = new ConcurrentHashMap<>();
  // Used only by the thread that refreshes.
  private final Map<String, List<Meter>> meters = new HashMap<>();
  private final Map<WorkerOfQueue, Meter> workerMeters = new HashMap<>();

  private record WorkerOfQueue(String queue, UUID worker) {}

  SessionMeters(MeterRegistry registry, SessionService sessions) {
    this.registry = registry;
    this.sessions = sessions;
  }

  /** Updates the figures, and registers and removes meters. Blocks on the store. */
  void refresh() {
    Map<String, QueueFigures> now = sessions.figures();
    now.forEach(
        (queue, figures) -> {
          if (latest.put(queue, figures) == null) {
            meters.put(queue, register(queue));
          }
        });
    for (String gone : Set.copyOf(latest.keySet())) {
      if (!now.containsKey(gone)) {
        meters.remove(gone).forEach(registry::remove);
        latest.remove(gone);
      }
    }
    refreshWorkers(now);
  }

  private void refreshWorkers(Map<String, QueueFigures> now) {
    Map<WorkerOfQueue, Integer> present = new HashMap<>();
    now.forEach(
        (queue, figures) -> {
          if (figures.sessions().workers() > 0 && sessions.ofSessions(queue)) {
            workers(queue).stream()
                .limit(MOST_WORKERS - (long) present.size())
                .forEach(one -> present.put(new WorkerOfQueue(queue, one.id()), one.sessions()));
          }
        });
    assigned.keySet().retainAll(present.keySet());
    assigned.putAll(present);
    workerMeters
        .entrySet()
        .removeIf(
            entry -> {
              boolean gone = !present.containsKey(entry.getKey());
              if (gone) {
                registry.remove(entry.getValue());
              }
              return gone;
            });
    present.keySet().forEach(one -> workerMeters.computeIfAbsent(one, this::register));
  }

  private List<SessionWorkerView> workers(String queue) {
    try {
      return sessions.workers(queue);
    } catch (MillraceException e) {
      LOGGER.debug("the workers of {} are not known now", queue, e);
      return List.of();
    }
  }

  private Meter register(WorkerOfQueue worker) {
    return Gauge.builder("millrace.session.worker.assigned", assigned, all -> count(all, worker))
        .description("sessions of one worker; of at most 100 workers of this node")
        .tags("queue", worker.queue(), "worker", worker.worker().toString())
        .register(registry);
  }

  private static double count(Map<WorkerOfQueue, Integer> all, WorkerOfQueue worker) {
    Integer found = all.get(worker);
    return found == null ? Double.NaN : found;
  }

  private List<Meter> register(String queue) {
    List<Meter> all = new ArrayList<>();
    all.add(
        FunctionCounter.builder(
                "millrace.session.events.received", sessions, now -> now.received(queue))
            .description("events received since the node was started, refused ones included")
            .tags("queue", queue)
            .register(registry));
    all.add(
        counter(
            "millrace.session.events.written", "events stored", queue, f -> f.totals().inserted()));
    all.add(
        counter(
            "millrace.session.events.delivered",
            "events delivered to workers, repeated ones included",
            queue,
            f -> f.totals().delivered()));
    all.add(
        counter(
            "millrace.session.duplicates",
            "events of completed sessions, and events sent again",
            queue,
            f -> f.sessions().duplicates()));
    all.add(
        counter(
            "millrace.session.refused",
            "events refused because too many sessions had no worker, or theirs was full",
            queue,
            f -> f.sessions().refused()));
    all.add(
        counter("millrace.session.opened", "sessions opened", queue, f -> f.sessions().opened()));
    all.add(
        counter(
            "millrace.session.completed",
            "sessions completed",
            queue,
            f -> f.sessions().completed()));
    all.add(
        counter(
            "millrace.session.handovers",
            "assignments after the first one of a session",
            queue,
            f -> f.sessions().handovers()));
    all.add(
        counter(
            "millrace.session.stale",
            "results refused as those of a former worker",
            queue,
            f -> f.sessions().stale()));
    all.add(state(queue, "unassigned", f -> f.sessions().unassigned()));
    all.add(state(queue, "assigned", f -> f.sessions().assigned()));
    all.add(state(queue, "parked", f -> f.sessions().parked()));
    all.add(
        gauge(
            "millrace.session.remembered",
            "completed keys that are remembered",
            queue,
            f -> f.sessions().remembered()));
    all.add(
        gauge(
            "millrace.session.workers",
            "workers that are employed",
            queue,
            f -> f.sessions().workers()));
    all.add(
        gauge(
            "millrace.session.capacity",
            "sessions that the employed workers take together",
            queue,
            f -> f.sessions().capacity()));
    all.add(
        gauge(
            "millrace.session.slots.waiting",
            "slots that wait for the events of an earlier owner",
            queue,
            f -> f.sessions().waitingSlots()));
    all.add(
        gauge(
            "millrace.session.stalled.seconds",
            "age of the oldest unacknowledged event of any worker",
            queue,
            f -> f.sessions().stalledSeconds()));
    return all;
  }

  private Meter state(String queue, String state, ToDoubleFunction<QueueFigures> figure) {
    return gauge(
        "millrace.session.sessions",
        "sessions by state",
        Tags.of("queue", queue, "state", state),
        queue,
        figure);
  }

  private Meter gauge(
      String name, String description, String queue, ToDoubleFunction<QueueFigures> figure) {
    return gauge(name, description, Tags.of("queue", queue), queue, figure);
  }

  private Meter gauge(
      String name,
      String description,
      Tags tags,
      String queue,
      ToDoubleFunction<QueueFigures> figure) {
    return Gauge.builder(name, latest, all -> value(all, queue, figure))
        .description(description)
        .tags(tags)
        .register(registry);
  }

  private Meter counter(
      String name, String description, String queue, ToDoubleFunction<QueueFigures> figure) {
    return FunctionCounter.builder(name, latest, all -> value(all, queue, figure))
        .description(description + ", since the store was created")
        .tags("queue", queue)
        .register(registry);
  }

  // A scrape may find a meter that is being removed.
  private static double value(
      Map<String, QueueFigures> all, String queue, ToDoubleFunction<QueueFigures> figure) {
    QueueFigures found = all.get(queue);
    return found == null ? Double.NaN : figure.applyAsDouble(found);
  }
}
