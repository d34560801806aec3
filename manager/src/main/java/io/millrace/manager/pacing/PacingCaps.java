package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.pacing.PacingCaps.PlaceShares.ShareRequest;
import io.millrace.manager.pacing.PacingStateDao.Lacking;
import io.millrace.manager.pacing.RateDao.RateBucket;
import io.millrace.manager.queue.ControlDao;
import io.millrace.manager.queue.WorkerSpecs;
import io.millrace.manager.weight.WeightDao;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The caps over all segments of a queue together, applied when a decision is carried out: a manager
 * that decided before it learned of a pause, or two that counted on the same free workers, start no
 * more than allowed. Thread-safe; runs in a transaction that holds the queue's lock.
 */
final class PacingCaps {
  private static final int FRESH_TICKS = 3;

  private final JobLedger ledger;

  PacingCaps(JobLedger ledger) {
    this.ledger = ledger;
  }

  /** The decision limited to the workers that may be started now, with the reason. */
  PacingRecord apply(
      Handle handle, QueueDefinition queue, String node, PacingRecord wanted, Instant now) {
    PacingRecord decision = paused(handle, queue.name(), wanted);
    decision = broken(handle, queue, decision, now);
    decision = workers(handle, queue, node, decision, now);
    return rated(handle, queue, node, decision, now);
  }

  private static PacingRecord paused(Handle handle, String queue, PacingRecord decision) {
    Optional<QueueControl> control =
        decision.start() == 0
            ? Optional.empty()
            : ControlDao.find(handle, queue).filter(QueueControl::consumingPaused);
    return control
        .map(paused -> lowered(decision, 0, Gate.PAUSED, paused.words() + " → 0"))
        .orElse(decision);
  }

  private static PacingRecord broken(
      Handle handle, QueueDefinition queue, PacingRecord decision, Instant now) {
    BreakerDefinition rule = queue.pacing().breaker();
    Optional<Breaker> open =
        decision.start() == 0 || rule.off()
            ? Optional.empty()
            : BreakerDao.open(handle, queue.name());
    return open.map(
            breaker -> {
              int allowed = breaker.allowed(decision.start(), rule, now);
              String why = breaker.describe(rule, now) + " → " + allowed;
              // The worker that is started is a probe even when no more were wanted.
              return held(decision, allowed, Gate.BREAKER_OPEN, why);
            })
        .orElse(decision);
  }

  private PacingRecord workers(
      Handle handle, QueueDefinition queue, String node, PacingRecord decision, Instant now) {
    if (decision.start() == 0) {
      return decision;
    }
    Optional<PacingOverride> override = OverrideDao.inForce(handle, queue.name(), now);
    PacingDefinition pacing = PacingViews.inForce(queue, override.orElse(null)).pacing();
    int max = queue.worker() == null ? 0 : pacing.maxWorkers();
    Map<String, Integer> outstanding = ledger.outstandingWorkers(handle, queue.name());
    int all = outstanding.values().stream().mapToInt(Integer::intValue).sum();
    int free = Math.max(0, max - all);
    int allowed = shared(handle, queue, node, max, outstanding, now);
    String kept =
        allowed < Math.min(free, decision.start())
            ? ", the rest is reserved for segments below their share"
            : "";
    String why =
        "%d of maxWorkers %d are outstanding over all segments%s → %d"
            .formatted(all, max, kept, allowed);
    return lowered(decision, allowed, Gate.MAX_WORKERS, why);
  }

  private static int shared(
      Handle handle,
      QueueDefinition queue,
      String node,
      int max,
      Map<String, Integer> outstanding,
      Instant now) {
    int all = outstanding.values().stream().mapToInt(Integer::intValue).sum();
    // A manager that has stopped deciding has no demand.
    Instant fresh = now.minus(queue.pacing().tick().multipliedBy(FRESH_TICKS));
    List<Lacking> lacking = PacingStateDao.lacking(handle, queue.name(), fresh);
    if (lacking.isEmpty()) {
      return Math.max(0, max - all);
    }
    Optional<QueueWeights> weights = WeightDao.find(handle, queue.name());
    ShareRequest own =
        new ShareRequest(points(weights, node), outstanding.getOrDefault(node, 0), 0, null);
    List<ShareRequest> others = new ArrayList<>();
    for (Lacking one : lacking) {
      int has = outstanding.getOrDefault(one.node(), 0);
      ShareRequest request =
          new ShareRequest(points(weights, one.node()), has, one.unmet(), one.since());
      if (one.node().equals(node)) {
        own = request;
      } else {
        others.add(request);
      }
    }
    return PlaceShares.allowed(max, all, own, others);
  }

  private static PacingRecord rated(
      Handle handle, QueueDefinition queue, String node, PacingRecord decision, Instant now) {
    double limit = queue.pacing().maxEventsPerSecond();
    if (limit <= 0 || decision.start() == 0) {
      return decision;
    }
    double share = limit * points(WeightDao.find(handle, queue.name()), node) / QueueWeights.TOTAL;
    int capacity = WorkerSpecs.capacity(queue);
    double burst = Math.max(capacity, 2 * share * queue.pacing().tick().toMillis() / 1e3);
    RateBucket bucket =
        RateDao.find(handle, queue.name(), node)
            .map(found -> found.filled(share, burst, now))
            .orElseGet(() -> RateBucket.full(burst, now));
    int allowed = bucket.workers(decision.start(), capacity, waiting(decision));
    RateDao.put(
        handle,
        queue.name(),
        node,
        bucket.without(RateBucket.events(allowed, capacity, waiting(decision))));
    String why =
        String.format(
            Locale.ROOT,
            "maxEventsPerSecond %.4g, of which this segment's share is %.4g/s → %d",
            limit,
            share,
            allowed);
    return lowered(decision, allowed, Gate.MAX_RATE, why);
  }

  /** A draining segment has no weight, and continues with the least share. */
  private static int points(Optional<QueueWeights> weights, String node) {
    return weights.map(row -> Math.max(1, row.of(node))).orElse(QueueWeights.TOTAL);
  }

  private static double waiting(PacingRecord decision) {
    Double waiting = decision.inputs() == null ? null : decision.inputs().get("waiting");
    return waiting == null ? Double.MAX_VALUE : waiting;
  }

  private static PacingRecord lowered(PacingRecord decision, int allowed, Gate gate, String why) {
    return decision.start() <= allowed ? decision : held(decision, allowed, gate, why);
  }

  private static PacingRecord held(PacingRecord decision, int start, Gate gate, String why) {
    return new PacingRecord(
        decision.attempt(),
        start,
        decision.policy(),
        gate.name(),
        decision.reason() + "; " + why,
        decision.inputs(),
        decision.state());
  }

  /**
   * Divides the workers allowed by {@code maxWorkers} among the segments of a queue while they
   * request more. Otherwise the segment that decides first would get all of them every time,
   * because ticks keep their order.
   *
   * <p>A segment's share is its weight among the segments with unmet demand. What a segment lacks
   * of its share is reserved for it: against segments that have theirs, and against those that got
   * workers more recently. Nothing is reserved against the segment that has waited longest, so that
   * one always proceeds, and where there are fewer workers than segments they take turns. Pure
   * arithmetic; thread-safe.
   */
  @Pure
  static final class PlaceShares {
    private PlaceShares() {}

    /**
     * A segment that requests workers.
     *
     * @param points its weight, at least 1
     * @param outstanding workers that it has
     * @param unmet workers that it could not start at its last decision
     * @param since since when it has had unmet demand without getting a worker; null for none
     */
    public record ShareRequest(int points, int outstanding, int unmet, Instant since) {
      private boolean before(ShareRequest other) {
        return since != null && (other.since == null || since.isBefore(other.since));
      }
    }

    /**
     * Workers that a segment may start now.
     *
     * @param max maximum of workers of the queue
     * @param outstanding workers that the queue has now, over all segments
     * @param own the segment that asks
     * @param others the other segments with unmet demand
     */
    public static int allowed(
        int max, int outstanding, ShareRequest own, Collection<ShareRequest> others) {
      int points = own.points() + others.stream().mapToInt(ShareRequest::points).sum();
      int keptFromAll = 0;
      int keptFromOwnShare = 0;
      for (ShareRequest other : others) {
        int kept = Math.min(other.unmet(), lacks(other, max, points));
        keptFromAll += kept;
        keptFromOwnShare += other.before(own) ? kept : 0;
      }
      int free = Math.max(0, max - outstanding);
      int ofShare = Math.min(lacks(own, max, points), Math.max(0, free - keptFromOwnShare));
      return Math.max(ofShare, free - keptFromAll);
    }

    /** Workers between what it has and its share, which is at least one. */
    private static int lacks(ShareRequest request, int max, int points) {
      long share = Math.max(1, (long) max * request.points() / points);
      return (int) Math.max(0, share - request.outstanding());
    }
  }
}
