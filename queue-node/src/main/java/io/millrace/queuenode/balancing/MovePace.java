package io.millrace.queuenode.balancing;

import io.millrace.api.Pure;
import io.millrace.api.queue.QueueWeights;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * How fast weight may move.
 *
 * @param ticksOver decisions in a row that see too much load before load is shed
 * @param minWeight points below which a segment is not split (H-123)
 * @param movesAtOnce moves of one decision to shed load
 * @param reverseBan how long a queue's points do not go back the way they came
 * @param budgetShare part of all points that one node may shed within {@code budgetSpan}
 * @param budgetLeast points that it may in a small cluster
 * @param budgetSpan see there
 * @param quiet time without any change of weights before a node may be emptied to scale in
 * @param visibleAfter time from a change of weights until the loads begin to show it
 * @param newShare of one second's sample in the smoothed loads, α of H-114: how fast they show it
 * @param shortageAgain how long the same shortage is not recorded again
 * @param patience how long a decision waits for its change to be seen before it is given up
 */
@Pure
public record MovePace(
    int ticksOver,
    int minWeight,
    int movesAtOnce,
    Duration reverseBan,
    double budgetShare,
    int budgetLeast,
    Duration budgetSpan,
    Duration quiet,
    Duration visibleAfter,
    double newShare,
    Duration shortageAgain,
    Duration patience) {
  /** How long a node that has given points away is not filled above what it shed to. */
  private static final Duration REST = Duration.ofMinutes(15);

  /** For loads that are smoothed with this share of the newest sample a second. */
  public static MovePace of(double newShare) {
    return new MovePace(
        2,
        5,
        8,
        Duration.ofMinutes(3),
        0.10,
        1000,
        Duration.ofMinutes(5),
        Duration.ofMinutes(2),
        Duration.ofSeconds(3),
        newShare,
        Duration.ofMinutes(1),
        Duration.ofSeconds(15));
  }

  /** Points that one node may shed within the budget's span when there are so many queues. */
  int budget(int queues) {
    return (int) Math.max(budgetLeast, budgetShare * queues * QueueWeights.TOTAL);
  }

  Duration rest() {
    return REST;
  }

  /** How long changes of weight rows are remembered. */
  Duration memory() {
    return Stream.of(REST, reverseBan, budgetSpan).max(Comparator.naturalOrder()).orElseThrow();
  }

  /** The part of moved load that the smoothed loads do not show yet. */
  double invisible(long ageNanos) {
    double seconds = (ageNanos - visibleAfter.toNanos()) / 1e9;
    return seconds <= 0 ? 1 : Math.pow(1 - newShare, seconds);
  }
}
