package io.millrace.simulator.replay;

import io.millrace.manager.pacing.QueueFigures;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * What the managers of one queue recorded in a time.
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
   * @throws IllegalArgumentException when they are too few for a replay
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
          "the record has "
              + decisions.size()
              + " decisions, and a replay needs two of one segment at least: give a longer time");
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

  /** Workers that were submitted. */
  long starts() {
    return segments.stream().mapToLong(RecordedSegment::starts).sum();
  }

  /** The decision at which the settings in force were told last. */
  RecordedDecision last() {
    return segments.stream()
        .map(segment -> segment.decisions().get(segment.decisions().size() - 1))
        .max(Comparator.comparing(RecordedDecision::at))
        .orElseThrow();
  }

  /** Figures that the decisions saw. */
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
}
