package io.millrace.manager.job;

import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;

/** Counts workers: live ones in the small tables of live jobs, ended ones in totals. Stateless. */
public final class WorkerDao {
  /** Weight of one run in the smoothed times: about the last twenty count. */
  private static final double SMOOTHING = 0.1;

  /**
   * What happened to workers of one segment within one transaction.
   *
   * @param started runs that started
   * @param latencySeconds mean time from placement to start of these
   * @param finished runs that ended
   * @param failed those of them that failed by themselves
   * @param timedRuns runs that ended and had started
   * @param runSeconds mean run time of these
   */
  public record Progress(
      int started,
      double latencySeconds,
      int finished,
      int failed,
      int timedRuns,
      double runSeconds) {}

  /** Makes sure that each segment has a row of totals. */
  public void ensure(Handle handle, Collection<SegmentKey> segments) {
    for (SegmentKey segment : segments) {
      handle
          .createUpdate(
              """
              insert ignore into worker_total (queue, segment_node, started, finished, failed,
                  start_latency_seconds, run_seconds)
              values (:queue, :node, 0, 0, 0, 0, 0)
              """)
          .bind("queue", segment.queue())
          .bind("node", segment.node())
          .execute();
    }
  }

  /** Removes the totals of a deleted queue. */
  public void remove(Handle handle, String queue) {
    handle
        .createUpdate("delete from worker_total where queue = :queue")
        .bind("queue", queue)
        .execute();
  }

  /** Adds progress, in the order of the segments so that transactions do not deadlock. */
  public void add(Handle handle, Map<SegmentKey, Progress> progress) {
    if (progress.isEmpty()) {
      return;
    }
    // The smoothed columns read the old counts, so they come first: MySQL assigns left to right.
    PreparedBatch batch =
        handle.prepareBatch(
            """
            update worker_total
            set start_latency_seconds = case
                    when :started = 0 then start_latency_seconds
                    when started = 0 then :latency
                    else start_latency_seconds * :keepStarts + :latency * :addStarts end,
                run_seconds = case
                    when :timed = 0 then run_seconds
                    when run_seconds = 0 then :run
                    else run_seconds * :keepRuns + :run * :addRuns end,
                started = started + :started, finished = finished + :finished,
                failed = failed + :failed
            where queue = :queue and segment_node = :node
            """);
    progress.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(SegmentKey.ORDER))
        .forEach(entry -> bind(batch, entry.getKey(), entry.getValue()));
    batch.execute();
  }

  private static void bind(PreparedBatch batch, SegmentKey segment, Progress progress) {
    batch
        .bind("started", progress.started())
        .bind("latency", progress.latencySeconds())
        .bind("keepStarts", Math.pow(1 - SMOOTHING, progress.started()))
        // Computed here: H2 would take the parameter for an integer, too.
        .bind("addStarts", 1 - Math.pow(1 - SMOOTHING, progress.started()))
        .bind("finished", progress.finished())
        .bind("failed", progress.failed())
        .bind("timed", progress.timedRuns())
        .bind("run", progress.runSeconds())
        .bind("keepRuns", Math.pow(1 - SMOOTHING, progress.timedRuns()))
        .bind("addRuns", 1 - Math.pow(1 - SMOOTHING, progress.timedRuns()))
        .bind("queue", segment.queue())
        .bind("node", segment.node())
        .add();
  }

  /** The workers of every segment that ever had any. */
  public Map<SegmentKey, WorkerTally> tallies(Handle handle) {
    Map<SegmentKey, Live> live = live(handle);
    Map<SegmentKey, WorkerTally> tallies = new HashMap<>();
    handle
        .createQuery("select * from worker_total")
        .map(
            (row, context) -> {
              SegmentKey segment =
                  new SegmentKey(row.getString("queue"), row.getString("segment_node"));
              Live now = live.getOrDefault(segment, Live.NONE);
              return Map.entry(
                  segment,
                  new WorkerTally(
                      now.starting(),
                      now.running(),
                      row.getLong("started"),
                      row.getLong("finished"),
                      row.getLong("failed"),
                      row.getDouble("start_latency_seconds"),
                      row.getDouble("run_seconds")));
            })
        .forEach(entry -> tallies.put(entry.getKey(), entry.getValue()));
    return tallies;
  }

  /** Number of workers of the queue that have not ended, by the node of their segment. */
  public Map<String, Integer> outstanding(Handle handle, String queue) {
    return bySegment(
        handle.createQuery(
            """
            select segment_node, count(*) as workers
            from job_ready
            where queue = :queue and kind = 'WORKER'
            group by segment_node
            union all
            select segment_node, count(*) as workers
            from booking
            where queue = :queue and kind = 'WORKER'
            group by segment_node
            """),
        queue);
  }

  /** Number of workers of the queue that have not started, by the node of their segment. */
  public Map<String, Integer> starting(Handle handle, String queue) {
    return bySegment(
        handle.createQuery(
            """
            select segment_node, count(*) as workers
            from job_ready
            where queue = :queue and kind = 'WORKER'
            group by segment_node
            union all
            select segment_node, count(*) as workers
            from booking
            where queue = :queue and kind = 'WORKER' and not running
            group by segment_node
            """),
        queue);
  }

  private static Map<String, Integer> bySegment(Query query, String queue) {
    Map<String, Integer> bySegment = new HashMap<>();
    query
        .bind("queue", queue)
        .map((row, context) -> Map.entry(row.getString("segment_node"), row.getInt("workers")))
        .forEach(entry -> bySegment.merge(entry.getKey(), entry.getValue(), Integer::sum));
    return bySegment;
  }

  private record Live(int starting, int running) {
    static final Live NONE = new Live(0, 0);

    Live plus(Live other) {
      return new Live(starting + other.starting, running + other.running);
    }
  }

  private static Map<SegmentKey, Live> live(Handle handle) {
    Map<SegmentKey, Live> live = new HashMap<>();
    // "queue >= ''" reads only the rows that have a queue, however many other jobs wait.
    List<String> queries =
        List.of(
            """
            select queue, segment_node, count(*) as not_started, 0 as running
            from job_ready
            where queue >= '' and kind = 'WORKER'
            group by queue, segment_node
            """,
            """
            select queue, segment_node, sum(case when running then 0 else 1 end) as not_started,
                sum(case when running then 1 else 0 end) as running
            from booking
            where kind = 'WORKER'
            group by queue, segment_node
            """);
    for (String query : queries) {
      handle
          .createQuery(query)
          .map(
              (row, context) ->
                  Map.entry(
                      new SegmentKey(row.getString("queue"), row.getString("segment_node")),
                      new Live(row.getInt("not_started"), row.getInt("running"))))
          .forEach(entry -> live.merge(entry.getKey(), entry.getValue(), Live::plus));
    }
    return live;
  }

  /**
   * The workers of one queue, or of one of its segments, as the central store counts them.
   *
   * @param starting submitted and not started: waiting for a slot, or placed
   * @param running reported as started and not ended
   * @param started total runs started
   * @param finished total runs ended
   * @param failed those of them that failed by themselves; lost and stopped ones do not counted
   * @param startLatencySeconds smoothed time from placement to start; 0 while unknown
   * @param runSeconds smoothed time from start to end; 0 while unknown
   */
  public record WorkerTally(
      int starting,
      int running,
      long started,
      long finished,
      long failed,
      double startLatencySeconds,
      double runSeconds) {
    /** No worker yet. */
    public static final WorkerTally NONE = new WorkerTally(0, 0, 0, 0, 0, 0, 0);

    /** Workers that have not ended. */
    public int outstanding() {
      return starting + running;
    }
  }

  /** Sums up what happened to workers, by segment. Not thread-safe; used within one transaction. */
  static final class WorkerProgress {
    private static final Set<Outcome> FAILED_BY_ITSELF =
        EnumSet.of(Outcome.FAILED, Outcome.SIGNALLED, Outcome.TIMED_OUT, Outcome.START_FAILED);
    // A stopped, lost or idle run is not evidence of how long work takes.
    private static final Set<Outcome> TIMED =
        EnumSet.of(Outcome.SUCCEEDED, Outcome.FAILED, Outcome.SIGNALLED, Outcome.TIMED_OUT);

    private final Map<SegmentKey, Sum> sums = new HashMap<>();

    void started(JobFacts job, Instant startedAt) {
      if (job.kind() == JobKind.WORKER) {
        Sum sum = sum(job);
        sum.started++;
        // A placement by an older version has no time.
        Instant since = job.placedAt() == null ? job.submittedAt() : job.placedAt();
        Duration latency = Duration.between(since, startedAt);
        sum.latencySeconds += Math.max(0, latency.toMillis() / 1000.0);
      }
    }

    void ended(JobFacts job, AttemptResult result) {
      if (job.kind() == JobKind.WORKER) {
        Outcome outcome = result.outcome();
        Sum sum = sum(job);
        sum.finished++;
        if (FAILED_BY_ITSELF.contains(outcome)) {
          sum.failed++;
        }
        if (TIMED.contains(outcome)) {
          sum.timedRuns++;
          sum.runSeconds += result.runMillis() / 1000.0;
        }
      }
    }

    Map<SegmentKey, Progress> bySegment() {
      Map<SegmentKey, Progress> progress = new HashMap<>();
      sums.forEach((segment, sum) -> progress.put(segment, sum.progress()));
      return progress;
    }

    private Sum sum(JobFacts job) {
      return sums.computeIfAbsent(
          new SegmentKey(job.queue(), job.segmentNode()), segment -> new Sum());
    }

    private static final class Sum {
      private int started;
      private double latencySeconds;
      private int finished;
      private int failed;
      private int timedRuns;
      private double runSeconds;

      Progress progress() {
        return new Progress(
            started,
            started == 0 ? 0 : latencySeconds / started,
            finished,
            failed,
            timedRuns,
            timedRuns == 0 ? 0 : runSeconds / timedRuns);
      }
    }
  }
}
