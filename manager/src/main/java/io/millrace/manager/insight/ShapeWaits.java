package io.millrace.manager.insight;

import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.manager.dispatch.PoolDispatch.VerdictSink;
import io.millrace.manager.insight.ShapeWaitDao.Span;
import io.millrace.manager.placement.PlacementPlan.ShapeVerdict;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;

/**
 * Records the history of why shapes wait, from the verdicts of the dispatch: a row is written only
 * when a shape's code changes, at most every few seconds, however many jobs wait. The recorded rows
 * are read each time, so that any central manager may continue. Thread-safe.
 */
public final class ShapeWaits implements VerdictSink {
  // A shape that starts a job now and then continues to wait for the same reason.
  private static final Duration CONTINUED_WITHIN = Duration.ofSeconds(10);
  private static final Duration IDLE_CHECK = Duration.ofSeconds(10);

  /** When a pool was last recorded, and whether it may have open spans; saves reading. */
  private record LastRecord(long nanos, boolean open) {}

  private final ShapeWaitDao store = new ShapeWaitDao();
  private final Clock clock;
  private final Duration interval;
  private final Map<String, LastRecord> lastRecords = new ConcurrentHashMap<>();

  /**
   * @param interval the least time between two changes of a pool's history
   */
  public ShapeWaits(Clock clock, Duration interval) {
    this.clock = clock;
    this.interval = interval;
  }

  /** Every two seconds. */
  public static ShapeWaits with(Clock clock) {
    return new ShapeWaits(clock, Duration.ofSeconds(2));
  }

  @Override
  public void accept(Handle handle, String pool, List<ShapeVerdict> verdicts, Instant now) {
    long nanos = clock.nanoTime();
    if (due(lastRecords.get(pool), verdicts.isEmpty(), nanos)) {
      change(handle, pool, verdicts, now);
      lastRecords.put(pool, new LastRecord(nanos, !verdicts.isEmpty()));
    }
  }

  private boolean due(LastRecord last, boolean nothingWaits, long nanos) {
    if (last == null) {
      return true;
    }
    if (nothingWaits) {
      // The first record after a pool became idle ends its open spans.
      return last.open || nanos - last.nanos >= IDLE_CHECK.toNanos();
    }
    return nanos - last.nanos >= interval.toNanos();
  }

  private void change(Handle handle, String pool, List<ShapeVerdict> verdicts, Instant now) {
    Map<Long, Span> open = new HashMap<>();
    Map<Long, Span> closed = new HashMap<>();
    for (Span span : store.recent(handle, pool, now.minus(CONTINUED_WITHIN))) {
      (span.open() ? open : closed).put(span.shape(), span);
    }
    Map<Long, WaitReason> begin = new HashMap<>();
    List<Long> end = new ArrayList<>();
    List<Long> resume = new ArrayList<>();
    for (ShapeVerdict verdict : verdicts) {
      Span current = open.remove(verdict.shapeId());
      if (current == null) {
        Span before = closed.get(verdict.shapeId());
        if (before != null && same(before, verdict)) {
          resume.add(before.id());
        } else {
          begin.put(verdict.shapeId(), verdict.reason());
        }
      } else if (!same(current, verdict)) {
        end.add(current.id());
        begin.put(verdict.shapeId(), verdict.reason());
      }
    }
    // A dispatch with very many shapes may leave some out.
    open.values().stream()
        .filter(span -> !store.waits(handle, pool, span.shape(), now))
        .forEach(span -> end.add(span.id()));
    store.end(handle, end, now);
    store.resume(handle, resume);
    store.begin(handle, pool, begin, now);
  }

  private static boolean same(Span span, ShapeVerdict verdict) {
    return span.reason().code() == ShapeWaitDao.stored(verdict.reason().code());
  }
}
