package io.millrace.manager.pacing;

import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.PacingDefinition.BreakerDefinition;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.pacing.PacingStateDao.Lacking;
import io.millrace.manager.pacing.PlaceShares.ShareRequest;
import io.millrace.manager.pacing.RateDao.RateBucket;
import io.millrace.manager.queue.ControlDao;
import io.millrace.manager.queue.WorkerSpecs;
import io.millrace.manager.weight.WeightDao;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

  /** How old the decision of a segment may be at most to count as its present demand. */
  static Duration fresh(QueueDefinition queue) {
    return queue.decidedEvery().multipliedBy(FRESH_TICKS);
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
    Instant fresh = now.minus(fresh(queue));
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
    double burst = Math.max(capacity, 2 * share * queue.decidedEvery().toMillis() / 1e3);
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
    Double waiting =
        decision.inputs() == null ? null : decision.inputs().get(DecisionFigure.WAITING.key());
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
        decision.state(),
        decision.leave());
  }
}
