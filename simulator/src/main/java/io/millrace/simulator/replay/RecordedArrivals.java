package io.millrace.simulator.replay;

import io.millrace.simulator.pacing.RateCurve;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The arrivals of a segment between its recorded decisions. Their number is exact at each decision,
 * because each records the counter of inserted events; between two of them, which are a minute
 * apart at the most, they are placed as follows.
 *
 * <p>When all that waits at a decision is younger than the decision before, the first of it came at
 * the age of the oldest, and the rest at equal distances after it. What came and was taken in
 * between came before the worker that took it began: within one start latency of the decision
 * before, where workers take events only when they start. All else comes at equal distances.
 * Immutable.
 */
final class RecordedArrivals implements RateCurve {
  private final List<double[]> points = new ArrayList<>();

  private RecordedArrivals() {}

  /**
   * The arrivals of one segment.
   *
   * @param decisions its decisions by rising time
   * @param origin second 0 of the curve
   * @param reach the time after a decision within which its workers take events; null when they
   *     take some all the time
   */
  static RecordedArrivals of(List<RecordedDecision> decisions, Instant origin, Duration reach) {
    RecordedArrivals arrivals = new RecordedArrivals();
    arrivals.point(0, 0);
    RecordedDecision before = null;
    for (RecordedDecision decision : decisions) {
      if (before == null) {
        double second = decision.secondsFrom(origin);
        arrivals.point(second, 0);
        arrivals.point(second, decision.figure("waiting"));
      } else {
        arrivals.between(before, decision, origin, reach);
      }
      before = decision;
    }
    return arrivals;
  }

  private void between(
      RecordedDecision before, RecordedDecision now, Instant origin, Duration reach) {
    double from = before.secondsFrom(origin);
    double to = Math.max(from, now.secondsFrom(origin));
    // A counter that decreased belongs to another store and is ignored.
    double came = Math.max(0, now.figure("inserted") - before.figure("inserted"));
    double oldest = to - now.figure("oldestSeconds");
    boolean fresh = now.figure("waiting") > 0 && oldest > from;
    double waiting = fresh ? Math.min(came, now.figure("waiting")) : 0;
    double taken = fresh || now.figure("waiting") == 0 ? came - waiting : 0;
    boolean anticipated = reach != null && before.start() + before.figure("starting") > 0;
    double last = fresh ? oldest : to;
    double served = anticipated ? Math.min(last, from + reach.toNanos() / 1e9) : last;
    spread(from, served, taken);
    if (waiting > 0) {
      point(oldest, sum());
      point(oldest, sum() + 1);
      spread(oldest, to, waiting - 1);
    }
    spread(from, to, came - taken - waiting);
    point(to, sum());
  }

  /** So many events at equal distances, the first and the last half of one from the ends. */
  private void spread(double from, double until, double events) {
    if (events > 0) {
      double sum = sum();
      double half = (until - from) / events / 2;
      point(from, sum);
      point(from + half, sum + Math.min(1, events));
      point(until - half, sum + events);
    }
  }

  private void point(double second, double events) {
    double earliest = points.isEmpty() ? 0 : points.get(points.size() - 1)[0];
    points.add(new double[] {Math.max(earliest, second), events});
  }

  private double sum() {
    return points.get(points.size() - 1)[1];
  }

  /** Events of the recording, including those that waited at its start. */
  long events() {
    return Math.round(sum());
  }

  @Override
  public double until(double second) {
    int low = 0;
    int high = points.size();
    // The last knot that is not later, of several at one moment the last.
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (points.get(middle)[0] <= second) {
        low = middle;
      } else {
        high = middle;
      }
    }
    double[] before = points.get(low);
    if (low == points.size() - 1) {
      return before[1];
    }
    double[] after = points.get(low + 1);
    double share = Math.max(0, second - before[0]) / (after[0] - before[0]);
    return before[1] + share * (after[1] - before[1]);
  }
}
