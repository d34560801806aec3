package io.millrace.cli.bench;

import java.util.List;

/**
 * What came of the benchmark; the fields are those of {@code --json}.
 *
 * @param tooBusyNodes nodes that were TOOBUSY at any time
 * @param secondsTooBusy from the first TOOBUSY until no node was any more, before the load fell;
 *     null when that did not come
 * @param usedAtPeak nodes with weight when the load fell
 * @param usedAtEnd nodes with weight at the end
 * @param moves decisions that moved weight
 * @param pointsMoved points that they moved
 * @param putsAcknowledged events whose put was acknowledged
 * @param delivered of them
 * @param lost acknowledged and not delivered
 * @param decisions what was decided, in words, oldest first
 */
record BalanceResult(
    List<String> tooBusyNodes,
    Double secondsTooBusy,
    long usedAtPeak,
    long usedAtEnd,
    long moves,
    long pointsMoved,
    long putsAcknowledged,
    long delivered,
    long lost,
    List<String> decisions) {
  /** Whether everything came as it is asked for. */
  boolean good(int fewestNodes) {
    return !tooBusyNodes.isEmpty()
        && secondsTooBusy != null
        && usedAtEnd == fewestNodes
        && lost == 0;
  }
}
