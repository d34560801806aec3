package io.millrace.simulator.replay;

import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.simulator.pacing.Scenario.Disturbance;
import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import io.millrace.simulator.replay.RecordingReplay.ReplayRow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * The decisions recorded by the managers of one queue.
 *
 * @param from the first decision
 * @param to the last decision
 * @param segments by node; each has two decisions at least
 */
public record Recording(Instant from, Instant to, List<RecordedSegment> segments) {
  public Recording {
    segments = List.copyOf(segments);
  }

  /**
   * The record of these decisions, in any order.
   *
   * @throws IllegalArgumentException if they are too few for a replay
   */
  public static Recording of(List<RecordedDecision> decisions) {
    List<RecordedDecision> sorted = new ArrayList<>(decisions);
    sorted.sort(Comparator.comparing(RecordedDecision::at));
    TreeMap<String, List<RecordedDecision>> byNode = new TreeMap<>();
    for (RecordedDecision one : sorted) {
      byNode.computeIfAbsent(one.node(), node -> new ArrayList<>()).add(one);
    }
    byNode.values().removeIf(its -> its.size() < 2);
    if (byNode.isEmpty()) {
      throw new IllegalArgumentException(
          "the record contains "
              + decisions.size()
              + " decisions, but a replay needs at least two of one segment; use a longer period");
    }
    Instant from = byNode.values().stream().map(its -> its.get(0).at()).min(later()).orElseThrow();
    Instant to =
        byNode.values().stream()
            .map(its -> its.get(its.size() - 1).at())
            .max(later())
            .orElseThrow();
    List<RecordedSegment> segments = new ArrayList<>();
    byNode.forEach((node, its) -> segments.add(new RecordedSegment(node, from, its)));
    return new Recording(from, to, segments);
  }

  private static Comparator<Instant> later() {
    return Comparator.naturalOrder();
  }

  double seconds() {
    return Math.max(1, Duration.between(from, to).toNanos() / 1e9);
  }

  /** Number of submitted workers. */
  long starts() {
    return segments.stream().mapToLong(RecordedSegment::starts).sum();
  }

  /** The last decision with recorded settings. */
  RecordedDecision last() {
    return segments.stream()
        .map(segment -> segment.decisions().get(segment.decisions().size() - 1))
        .max(Comparator.comparing(RecordedDecision::at))
        .orElseThrow();
  }

  /** Statistics of the figures in the decisions. */
  Readings readings() {
    Readings readings = new Readings();
    segments.forEach(
        segment ->
            segment
                .decisions()
                .forEach(one -> readings.add(one.figure("waiting"), one.figure("oldestSeconds"))));
    return readings;
  }

  /**
   * What decisions saw of their queue, as far as they are kept: the one thing that can be compared
   * between a record and a simulation without any assumption. Used by one thread.
   */
  static final class Readings {
    private long kept;
    private double waiting;
    private double ages;
    private double oldest;

    void add(double waitingNow, double oldestSeconds) {
      kept++;
      waiting += waitingNow;
      ages += oldestSeconds;
      oldest = Math.max(oldest, oldestSeconds);
    }

    void add(QueueFigures queue) {
      add((double) queue.waiting(), queue.oldestAge().toNanos() / 1e9);
    }

    /** The means and the longest, as rows show them. */
    ReplayRow.Seen seen() {
      return new ReplayRow.Seen(
          kept, kept == 0 ? 0 : waiting / kept, kept == 0 ? 0 : ages / kept, oldest);
    }
  }

  /**
   * A decision of a queue manager, as exported.
   *
   * @param at time of the database
   * @param node the segment's queue node
   * @param start workers submitted
   * @param policy the policy
   * @param gate what limited it
   * @param figures inputs of the decision and settings in force
   */
  public record RecordedDecision(
      Instant at, String node, int start, String policy, String gate, Map<String, Double> figures) {
    public RecordedDecision {
      figures = Map.copyOf(figures);
    }

    /** A figure; 0 when it was not recorded. */
    double figure(String name) {
      return figures.getOrDefault(name, 0.0);
    }

    boolean isComplete(String name) {
      return figures.containsKey(name);
    }

    /** Seconds from a moment to this decision. */
    double secondsFrom(Instant origin) {
      return Duration.between(origin, at).toNanos() / 1e9;
    }
  }

  /**
   * The decisions recorded by the manager of one segment.
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

    /**
     * When each worker was started, in seconds from the origin, rising. Those that were started in
     * places that became free since the decision before are spread evenly over the tick.
     */
    double[] startSeconds() {
      return decisions.stream().flatMapToDouble(this::startSeconds).sorted().toArray();
    }

    private DoubleStream startSeconds(RecordedDecision one) {
      double at = one.secondsFrom(origin);
      int refilled = (int) Math.min(one.start(), one.figure("refilled"));
      double apart = one.figure("tickSeconds") / (refilled + 1);
      return DoubleStream.concat(
          IntStream.rangeClosed(1, refilled).mapToDouble(n -> Math.max(0, at - n * apart)),
          IntStream.range(refilled, one.start()).mapToDouble(n -> at));
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
          .filter(one -> one.isComplete(name))
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

    /** Share of failed runs. */
    double failing() {
      double failed =
          decisions.get(decisions.size() - 1).figure("failedRuns")
              - decisions.get(0).figure("failedRuns");
      return Math.min(1, Math.max(0, failed / Math.max(1, starts())));
    }

    /** Periods in which the manager was down or blocked from outside. */
    List<Disturbance> absences() {
      List<Disturbance> found = new ArrayList<>();
      double begin = -1;
      for (int i = 0; i + 1 < decisions.size(); i++) {
        RecordedDecision one = decisions.get(i);
        double from = one.secondsFrom(origin);
        double until = decisions.get(i + 1).secondsFrom(origin);
        boolean silent = HELD.contains(one.gate()) || until - from > SILENT_SECONDS;
        if (silent && begin < 0) {
          begin = from;
        } else if (!silent && begin >= 0) {
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
}
