package io.millrace.simulator.replay;

import io.millrace.simulator.pacing.Scenario.Disturbance;
import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What the manager of one segment recorded.
 *
 * @param node its queue node
 * @param origin second 0 of the replay
 * @param decisions by rising time, two at least
 */
public record RecordedSegment(String node, Instant origin, List<RecordedDecision> decisions) {
  /** Decisions are kept once a minute at the least; later than this, none was made. */
  private static final double SILENT_SECONDS = 90;

  private static final Set<String> HELD = Set.of("PAUSED", "BREAKER_OPEN", "NO_FIGURES");

  public RecordedSegment {
    decisions = List.copyOf(decisions);
  }

  long starts() {
    return decisions.stream().mapToLong(RecordedDecision::start).sum();
  }

  long count(Predicate<RecordedDecision> kind) {
    return decisions.stream().filter(kind).count();
  }

  /** Seconds of a measured time, on average over the decisions that started something. */
  OptionalDouble measured(String name) {
    OptionalDouble atStarts = mean(name, one -> one.start() > 0);
    return atStarts.isPresent() ? atStarts : mean(name, one -> true);
  }

  private OptionalDouble mean(String name, Predicate<RecordedDecision> kind) {
    return decisions.stream()
        .filter(one -> one.tells(name))
        .filter(kind)
        .mapToDouble(one -> one.figure(name))
        .average();
  }

  RecordedArrivals arrivals(Duration reach) {
    return RecordedArrivals.of(decisions, origin, reach);
  }

  /** Greatest distance of two neighbouring decisions, in seconds. */
  double longestGap() {
    double longest = 0;
    for (int i = 0; i + 1 < decisions.size(); i++) {
      double from = decisions.get(i).secondsFrom(origin);
      longest = Math.max(longest, decisions.get(i + 1).secondsFrom(origin) - from);
    }
    return longest;
  }

  /** The part of the runs that failed. */
  double failing() {
    double failed =
        decisions.get(decisions.size() - 1).figure("failedRuns")
            - decisions.get(0).figure("failedRuns");
    return Math.min(1, Math.max(0, failed / Math.max(1, starts())));
  }

  /** The times in which the manager was away, or was held from outside whatever it wanted. */
  List<Disturbance> absences() {
    List<Disturbance> found = new ArrayList<>();
    double begin = -1;
    for (int i = 0; i + 1 < decisions.size(); i++) {
      RecordedDecision one = decisions.get(i);
      double from = one.secondsFrom(origin);
      double until = decisions.get(i + 1).secondsFrom(origin);
      boolean away = HELD.contains(one.gate()) || until - from > SILENT_SECONDS;
      if (away && begin < 0) {
        begin = from;
      } else if (!away && begin >= 0) {
        found.add(new Disturbance(Kind.NO_MANAGER, begin, from, 1));
        begin = -1;
      }
    }
    if (begin >= 0) {
      double end = decisions.get(decisions.size() - 1).secondsFrom(origin);
      found.add(new Disturbance(Kind.NO_MANAGER, begin, end, 1));
    }
    return found;
  }
}
