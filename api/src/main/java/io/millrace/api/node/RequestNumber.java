package io.millrace.api.node;

import java.time.Duration;
import java.util.Comparator;

/**
 * The place of a request among all that a node ever sent: by it, a central manager refuses one that
 * arrives after a newer one was taken.
 *
 * @param incarnation of the process that sent it; each start of the node has a higher one
 * @param sequence within the incarnation, from 1; each request sent has a higher one
 */
public record RequestNumber(long incarnation, long sequence) implements Comparable<RequestNumber> {
  /** Lower than that of every request. */
  public static final RequestNumber NONE = new RequestNumber(0, 0);

  /** How far a node's clock may be ahead of the database's when its process starts. */
  public static final Duration MOST_AHEAD = Duration.ofDays(2);

  private static final Comparator<RequestNumber> ORDER =
      Comparator.comparingLong(RequestNumber::incarnation)
          .thenComparingLong(RequestNumber::sequence);

  @Override
  public int compareTo(RequestNumber other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return incarnation + "/" + sequence;
  }
}
