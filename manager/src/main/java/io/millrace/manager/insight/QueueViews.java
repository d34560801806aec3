package io.millrace.manager.insight;

import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingView.BreakerView;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.SegmentFigures.DelayBuckets;
import io.millrace.api.session.SessionDefinition.OwnerLostPolicy;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.job.WorkerDao.WorkerTally;
import io.millrace.manager.pacing.Breaker;
import io.millrace.manager.sample.SampleDao.QueueSample;
import io.millrace.manager.sample.SampleDao.SampleRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Combines, for each queue, the reports of nodes, the weight rows and the figures of workers. Pure.
 *
 * @param segments reported segments by queue
 * @param weights rows by queue
 * @param workers tallies by queue
 * @param samples the latest sample of each queue
 * @param decisions total decisions recorded, by queue
 * @param controls pauses set by operators, by queue
 * @param breakers open breakers by queue
 * @param lastFailures the last failed runs of queues with open breakers
 * @param overrides temporary overrides by operators, by queue
 * @param deleting queues that are being deleted
 */
public record QueueViews(
    Map<String, List<SegmentFigures>> segments,
    Map<String, QueueWeights> weights,
    Map<String, List<WorkerTally>> workers,
    Map<String, SampleRow> samples,
    Map<String, Long> decisions,
    Map<String, QueueControl> controls,
    Map<String, Breaker> breakers,
    Map<String, String> lastFailures,
    Map<String, PacingOverride> overrides,
    Set<String> deleting) {
  static QueueViews of(
      Collection<SegmentFigures> segments,
      Collection<QueueWeights> weights,
      Map<SegmentKey, WorkerTally> workers,
      Collection<SampleRow> samples,
      Map<String, Long> decisions,
      Collection<QueueControl> controls,
      Map<String, Breaker> breakers,
      Map<String, String> lastFailures,
      Map<String, PacingOverride> overrides,
      Set<String> deleting) {
    return new QueueViews(
        segments.stream().collect(Collectors.groupingBy(SegmentFigures::queue)),
        weights.stream().collect(Collectors.toMap(QueueWeights::queue, row -> row)),
        workers.entrySet().stream()
            .collect(
                Collectors.groupingBy(
                    entry -> entry.getKey().queue(),
                    Collectors.mapping(Map.Entry::getValue, Collectors.toList()))),
        samples.stream().collect(Collectors.toMap(SampleRow::queue, row -> row)),
        decisions,
        controls.stream().collect(Collectors.toMap(QueueControl::queue, control -> control)),
        breakers,
        lastFailures,
        overrides,
        deleting);
  }

  QueueView of(VersionedQueue queue) {
    String name = queue.definition().name();
    QueueTotals totals = totals(name);
    QueueWeights row = weights.get(name);
    SampleRow sampled = samples.get(name);
    QueueSample sample = sampled == null ? null : sampled.sample();
    return new QueueView(
        name,
        queue.version(),
        row == null ? 0 : row.version(),
        points(name),
        totals.waiting(),
        totals.delayed(),
        totals.leased(),
        totals.dead(),
        totals.oldestSeconds(),
        totals.inserted(),
        totals.acknowledged(),
        workers(name, WorkerTally::started),
        (int) workers(name, WorkerTally::starting),
        (int) workers(name, WorkerTally::running),
        sample == null ? 0 : sample.eventRate(),
        sample == null ? 0 : sample.doneRate(),
        sample == null ? 0 : sample.workerRate(),
        DelayBuckets.quantile(totals.delays(), 0.5),
        DelayBuckets.quantile(totals.delays(), 0.99),
        decisions.getOrDefault(name, 0L),
        totals.bytes(),
        secondsToEmpty(name, totals.waiting(), sample),
        controls.get(name),
        trouble(name),
        breaker(queue.definition()),
        override(queue.definition()),
        waitTarget(queue.definition()),
        deleting.contains(name),
        queue.definition().ofSessions() ? sessions(name) : null,
        awaited(queue.definition(), row),
        stall(queue.definition()));
  }

  private SessionFigures sessions(String queue) {
    return segments.getOrDefault(queue, List.of()).stream()
        .map(SegmentFigures::sessions)
        .filter(Objects::nonNull)
        .reduce(SessionFigures.NONE, SessionFigures::plus);
  }

  private static Map<String, Integer> awaited(QueueDefinition queue, QueueWeights row) {
    if (!queue.ofSessions() || queue.sessions().ownerLost() != OwnerLostPolicy.WAIT) {
      return null;
    }
    Map<String, Integer> awaited = new TreeMap<>();
    if (row != null && row.slots() != null) {
      row.slots()
          .ranges()
          .forEach(
              range ->
                  range
                      .owner()
                      .undrained()
                      .forEach(
                          node -> awaited.merge(node, range.to() - range.from() + 1, Integer::sum)));
    }
    return awaited;
  }

  private static Double stall(QueueDefinition queue) {
    return queue.ofSessions() ? queue.sessions().silence().toMillis() / 1e3 : null;
  }

  private Double waitTarget(QueueDefinition queue) {
    if (queue.worker() == null
        || queue.external()
        || queue.ofSessions()
        || !queue.pacing().policy().equals("demand")) {
      return null;
    }
    PacingOverride inForce = overrides.get(queue.name());
    Duration target =
        inForce == null || inForce.waitTarget() == null
            ? queue.pacing().waitTarget()
            : inForce.waitTarget();
    return target.toMillis() / 1e3;
  }

  private PacingOverride override(QueueDefinition queue) {
    PacingOverride inForce = overrides.get(queue.name());
    return inForce == null ? null : inForce.inPlaceOf(queue.pacing());
  }

  private BreakerView breaker(QueueDefinition queue) {
    Breaker open = breakers.get(queue.name());
    BreakerDefinition rule = queue.pacing().breaker();
    return open == null || rule.off()
        ? null
        : new BreakerView(
            queue.name(),
            open.openedAt(),
            open.reason(),
            open.probes(),
            open.succeeded(),
            rule.probes(),
            open.nextProbeAt(rule).orElse(null),
            lastFailures.get(queue.name()));
  }

  /** Null if unknown, or if the backlog is not shrinking. */
  private Double secondsToEmpty(String queue, long waiting, QueueSample sample) {
    if (waiting == 0) {
      return 0.0;
    }
    double shrinking =
        sample == null ? 0 : sample.doneRate() - (takesEvents(queue) ? sample.eventRate() : 0);
    return shrinking > 0 ? waiting / shrinking : null;
  }

  private boolean takesEvents(String queue) {
    QueueControl control = controls.get(queue);
    return !deleting.contains(queue) && (control == null || !control.sendingPaused());
  }

  private String trouble(String queue) {
    return segments.getOrDefault(queue, List.of()).stream()
        .filter(segment -> segment.trouble() != null)
        .map(segment -> segment.node() + ": " + segment.trouble())
        .sorted()
        .collect(Collectors.collectingAndThen(Collectors.joining("; "), QueueViews::orNull));
  }

  private static String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  /** The next sample of the queue, with rates measured since the previous one. */
  public SampleRow sample(String name, Instant now) {
    QueueTotals totals = totals(name);
    long runs = workers(name, WorkerTally::started);
    SampleRow before = samples.get(name);
    double seconds =
        before == null ? 0 : Duration.between(before.sample().at(), now).toNanos() / 1e9;
    QueueSample sample =
        new QueueSample(
            now,
            totals.waiting(),
            rate(totals.inserted(), before == null ? 0 : before.inserted(), seconds),
            rate(totals.acknowledged(), before == null ? 0 : before.acknowledged(), seconds),
            rate(runs, before == null ? 0 : before.workerRuns(), seconds),
            (int) workers(name, WorkerTally::running),
            totals.oldestSeconds(),
            points(name));
    return new SampleRow(name, sample, totals.inserted(), totals.acknowledged(), runs);
  }

  /** A counter that has decreased belongs to another store, and gives no rate. */
  private static double rate(long now, long before, double seconds) {
    return seconds > 0 && now > before ? (now - before) / seconds : 0;
  }

  private QueueTotals totals(String queue) {
    return QueueTotals.of(segments.getOrDefault(queue, List.of()));
  }

  private long workers(String queue, ToLongFunction<WorkerTally> what) {
    return workers.getOrDefault(queue, List.of()).stream().mapToLong(what).sum();
  }

  private Map<String, Integer> points(String queue) {
    QueueWeights row = weights.get(queue);
    return row == null ? Map.of() : new TreeMap<>(row.points());
  }

  /**
   * The figures of a queue over all its segments. Pure.
   *
   * @param waiting ready events
   * @param delayed events not ready yet
   * @param leased events held by workers
   * @param dead dead letters
   * @param oldestSeconds age of the oldest waiting event
   * @param inserted total events stored
   * @param acknowledged total events acknowledged
   * @param bytes size of all events kept
   * @param delays counts of the time from stored to acknowledged, by {@link DelayBuckets}
   */
  private record QueueTotals(
      long waiting,
      long delayed,
      long leased,
      long dead,
      double oldestSeconds,
      long inserted,
      long acknowledged,
      long bytes,
      List<Long> delays) {
    static QueueTotals of(Collection<SegmentFigures> segments) {
      return new QueueTotals(
          segments.stream().mapToLong(SegmentFigures::waiting).sum(),
          segments.stream().mapToLong(SegmentFigures::delayed).sum(),
          segments.stream().mapToLong(SegmentFigures::leased).sum(),
          segments.stream().mapToLong(SegmentFigures::dead).sum(),
          segments.stream().mapToDouble(SegmentFigures::oldestSeconds).max().orElse(0),
          segments.stream().mapToLong(SegmentFigures::inserted).sum(),
          segments.stream().mapToLong(SegmentFigures::acknowledged).sum(),
          segments.stream().mapToLong(SegmentFigures::bytes).sum(),
          addedDelays(segments));
    }

    private static List<Long> addedDelays(Collection<SegmentFigures> segments) {
      List<Long> sum = new ArrayList<>(Collections.nCopies(DelayBuckets.COUNT, 0L));
      for (SegmentFigures segment : segments) {
        List<Long> delays = segment.delays() == null ? List.of() : segment.delays();
        for (int bucket = 0; bucket < Math.min(delays.size(), sum.size()); bucket++) {
          sum.set(bucket, sum.get(bucket) + delays.get(bucket));
        }
      }
      return List.copyOf(sum);
    }
  }
}
