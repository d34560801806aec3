package io.millrace.api.node;

import java.time.Duration;
import java.util.Comparator;

/**
 * The position of a request in the sequence of a node's requests: it lets a central manager refuse
 * one that arrives after a newer one.
 *
 * @param incarnation of the process that sent it; rises with each start of the node
 * @param sequence within the incarnation, from 1; rises with each request
 */
public record RequestNumber(long incarnation, long sequence) implements Comparable<RequestNumber> {
  /** Lower than every request's number. */
  public static final RequestNumber NONE = new RequestNumber(0, 0);

  /** How far a node's clock may be ahead of the database's when its process starts. */
  public static final Duration MAX_AHEAD = Duration.ofDays(2);

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
