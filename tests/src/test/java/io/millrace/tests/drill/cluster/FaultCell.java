package io.millrace.tests.drill.cluster;

import java.util.Comparator;

/**
 * A cell of the table of faults.
 *
 * @param kind the kind of fault
 * @param role the affected role
 */
public record FaultCell(FaultKind kind, FaultRole role) implements Comparable<FaultCell> {
  private static final Comparator<FaultCell> ORDER =
      Comparator.comparing(FaultCell::kind).thenComparing(FaultCell::role);
  private static final String BETWEEN = "/";

  /** Parses the result of {@link #toString}. */
  public static FaultCell parse(String text) {
    String[] words = text.split(BETWEEN, 2);
    return new FaultCell(FaultKind.valueOf(words[0]), FaultRole.valueOf(words[1]));
  }

  @Override
  public int compareTo(FaultCell other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return kind + BETWEEN + role;
  }
}
