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
 * Keeps the history of why shapes wait, from what the dispatch says: a row is written only when a
 * shape's code changes, at most every few seconds, however many jobs wait. What was written is read
 * back each time, so that any central manager may go on with it. Thread-safe.
 */
public final class ShapeWaits implements VerdictSink {
  // A shape that starts a job now and then goes on waiting for the same.
  private static final Duration GOES_ON = Duration.ofSeconds(10);
  private static final Duration SURELY_NONE = Duration.ofSeconds(10);

  /** When a pool was looked at last, and whether rows may last there; a hint that saves reading. */
  private record Look(long nanos, boolean open) {}

  private final ShapeWaitDao store = new ShapeWaitDao();
  private final Clock clock;
  private final Duration interval;
  private final Map<String, Look> looks = new ConcurrentHashMap<>();

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
    if (due(looks.get(pool), verdicts.isEmpty(), nanos)) {
      change(handle, pool, verdicts, now);
      looks.put(pool, new Look(nanos, !verdicts.isEmpty()));
    }
  }

  private boolean due(Look last, boolean nothingWaits, long nanos) {
    if (last == null) {
      return true;
    }
    if (nothingWaits) {
      // The last look of an idle pool is the one that ends what lasts there.
      return last.open || nanos - last.nanos >= SURELY_NONE.toNanos();
    }
    return nanos - last.nanos >= interval.toNanos();
  }

  private void change(Handle handle, String pool, List<ShapeVerdict> verdicts, Instant now) {
    Map<Long, Span> open = new HashMap<>();
    Map<Long, Span> closed = new HashMap<>();
    for (Span span : store.recent(handle, pool, now.minus(GOES_ON))) {
      (span.open() ? open : closed).put(span.shape(), span);
    }
    Map<Long, WaitReason> begin = new HashMap<>();
    List<Long> end = new ArrayList<>();
    List<Long> resume = new ArrayList<>();
    for (ShapeVerdict verdict : verdicts) {
      Span lasting = open.remove(verdict.shapeId());
      if (lasting == null) {
        Span before = closed.get(verdict.shapeId());
        if (before != null && same(before, verdict)) {
          resume.add(before.id());
        } else {
          begin.put(verdict.shapeId(), verdict.reason());
        }
      } else if (!same(lasting, verdict)) {
        end.add(lasting.id());
        begin.put(verdict.shapeId(), verdict.reason());
      }
    }
    // A look at very many shapes may leave some out.
    open.values().stream()
        .filter(span -> !store.waits(handle, pool, span.shape(), now))
        .forEach(span -> end.add(span.id()));
    store.end(handle, end, now);
    store.resume(handle, resume);
    store.begin(handle, pool, begin, now);
  }

  private static boolean same(Span span, ShapeVerdict verdict) {
    return span.reason().code() == verdict.reason().code();
  }
}
