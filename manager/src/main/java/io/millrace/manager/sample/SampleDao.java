package io.millrace.manager.sample;

import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import io.millrace.manager.weight.WeightDao;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.result.RowView;

/** The table {@code queue_sample}. Stateless; runs in the caller's transaction. */
public final class SampleDao {
  private static final Duration CHUNK = Duration.ofMinutes(30);

  private SampleDao() {}

  /** The latest sample of every queue that has one. */
  public static List<SampleRow> latest(Handle handle) {
    return queues(handle).stream().flatMap(queue -> latest(handle, queue).stream()).toList();
  }

  private static Optional<SampleRow> latest(Handle handle, String queue) {
    return handle
        .createQuery(
            """
            select *
            from queue_sample
            where queue = :queue
            order by queue desc, sampled_at desc
            limit 1
            """)
        .bind("queue", queue)
        .map(SampleDao::row)
        .findOne();
  }

  /** Queues that have samples, defined or not; reads one row of an index for each. */
  public static List<String> queues(Handle handle) {
    List<String> queues = new ArrayList<>();
    Optional<String> next = nextQueue(handle, "");
    while (next.isPresent()) {
      queues.add(next.get());
      next = nextQueue(handle, next.get());
    }
    return queues;
  }

  private static Optional<String> nextQueue(Handle handle, String after) {
    return handle
        .createQuery(
            """
            select queue
            from queue_sample
            where queue >= :from
            order by queue, sampled_at
            limit 1
            """)
        // H2 would read through all samples of a queue for "greater than". No name has a sign
        // below !.
        .bind("from", after + "!")
        .mapTo(String.class)
        .findOne();
  }

  /** When the first sample of a queue from that time on was taken. */
  static Optional<Instant> firstFrom(Handle handle, String queue, Instant from) {
    return handle
        .createQuery(
            """
            select sampled_at
            from queue_sample
            where queue = :queue and sampled_at >= :from
            order by sampled_at
            limit 1
            """)
        .bind("queue", queue)
        .bind("from", from)
        .mapTo(Instant.class)
        .findOne();
  }

  /** A queue's samples in order of time; the end is exclusive. */
  static List<TimedSample> between(Handle handle, String queue, Instant from, Instant to) {
    return handle
        .createQuery(
            """
            select *
            from queue_sample
            where queue = :queue and sampled_at >= :from and sampled_at < :to
            order by sampled_at
            """)
        .bind("queue", queue)
        .bind("from", from)
        .bind("to", to)
        .map(SampleDao::row)
        .stream()
        .map(row -> row.sample().timed())
        .toList();
  }

  public static void add(Handle handle, SampleRow row) {
    QueueSample sample = row.sample();
    handle
        .createUpdate(
            """
            insert into queue_sample (queue, sampled_at, waiting, inserted, acknowledged,
                worker_runs, workers_running, oldest_seconds, event_rate, done_rate,
                worker_rate, points)
            values (:queue, :at, :waiting, :inserted, :acknowledged, :workerRuns,
                :workersRunning, :oldest, :eventRate, :doneRate, :workerRate, :points)
            """)
        .bind("queue", row.queue())
        .bind("at", sample.at())
        .bind("waiting", sample.waiting())
        .bind("inserted", row.inserted())
        .bind("acknowledged", row.acknowledged())
        .bind("workerRuns", row.workerRuns())
        .bind("workersRunning", sample.workersRunning())
        .bind("oldest", sample.oldestSeconds())
        .bind("eventRate", sample.eventRate())
        .bind("doneRate", sample.doneRate())
        .bind("workerRate", sample.workerRate())
        .bind("points", WeightDao.json(sample.weights()))
        .execute();
  }

  /**
   * Deletes some of the queue's oldest samples from before the given time; returns whether there
   * may be more.
   */
  public static boolean forgetSome(Handle handle, String queue, Instant before) {
    Optional<Instant> oldest = firstFrom(handle, queue, Instant.EPOCH);
    if (oldest.isEmpty() || !oldest.get().isBefore(before)) {
      return false;
    }
    Instant chunk = oldest.get().plus(CHUNK);
    handle
        .createUpdate(
            """
            delete from queue_sample
            where queue = :queue and sampled_at < :before
            """)
        .bind("queue", queue)
        .bind("before", chunk.isBefore(before) ? chunk : before)
        .execute();
    return true;
  }

  private static SampleRow row(RowView row) {
    return new SampleRow(
        row.getColumn("queue", String.class),
        new QueueSample(
            row.getColumn("sampled_at", Instant.class),
            row.getColumn("waiting", Long.class),
            row.getColumn("event_rate", Double.class),
            row.getColumn("done_rate", Double.class),
            row.getColumn("worker_rate", Double.class),
            row.getColumn("workers_running", Integer.class),
            row.getColumn("oldest_seconds", Double.class),
            WeightDao.points(row.getColumn("points", String.class))),
        row.getColumn("inserted", Long.class),
        row.getColumn("acknowledged", Long.class),
        row.getColumn("worker_runs", Long.class));
  }

  /**
   * One sample of a queue with the counters from which the rates of the next sample are computed.
   *
   * @param queue the queue
   * @param sample as shown
   * @param inserted total events stored
   * @param acknowledged total events acknowledged
   * @param workerRuns total worker runs started
   */
  public record SampleRow(
      String queue, QueueSample sample, long inserted, long acknowledged, long workerRuns) {}

  /**
   * One measurement of a queue.
   *
   * @param at when
   * @param waiting events waiting then
   * @param eventRate events stored per second
   * @param doneRate events done per second
   * @param workerRate workers started per second
   * @param workersRunning workers that ran then
   * @param oldestSeconds age of the oldest waiting event
   * @param weights points by queue node then
   */
  public record QueueSample(
      Instant at,
      long waiting,
      double eventRate,
      double doneRate,
      double workerRate,
      int workersRunning,
      double oldestSeconds,
      Map<String, Integer> weights) {
    TimedSample timed() {
      return new TimedSample(
          at,
          RollUp.USUAL_SECONDS,
          Map.of(
              FigureHistory.WAITING, SampledFigure.of((double) waiting),
              FigureHistory.EVENT_RATE, SampledFigure.of(eventRate),
              FigureHistory.DONE_RATE, SampledFigure.of(doneRate),
              FigureHistory.WORKER_RATE, SampledFigure.of(workerRate),
              FigureHistory.WORKERS_RUNNING, SampledFigure.of(workersRunning),
              FigureHistory.OLDEST_SECONDS, SampledFigure.of(oldestSeconds)),
          weights);
    }
  }
}
