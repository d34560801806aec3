package io.millrace.tests.drill.cluster;

import java.util.Map;
import java.util.TreeMap;

/** The numbers of faults by kind and role, and how many of them hit work. Thread-safe. */
public final class FaultTally {
  /**
   * The counts of one cell of the table.
   *
   * @param dealt all of them
   * @param counted those that hit work in progress
   */
  public record Count(int dealt, int counted) {
    static final Count NONE = new Count(0, 0);

    Count plus(Count other) {
      return new Count(dealt + other.dealt, counted + other.counted);
    }

    @Override
    public String toString() {
      return counted + "/" + dealt;
    }
  }

  // Guarded by this.
  private final Map<FaultCell, Count> counts = new TreeMap<>();

  /** Counts one more. */
  public synchronized void add(FaultCell cell, boolean counted) {
    add(cell, new Count(1, counted ? 1 : 0));
  }

  synchronized void add(FaultCell cell, Count count) {
    counts.merge(cell, count, Count::plus);
  }

  /** Adds the counts of another tally, which is not changed. */
  public void add(FaultTally other) {
    other.counts().forEach(this::add);
  }

  /** Each cell with dealt faults, in order. */
  public synchronized Map<FaultCell, Count> counts() {
    return new TreeMap<>(counts);
  }

  /** Those that hit work in progress. */
  public int counted() {
    return counts().values().stream().mapToInt(Count::counted).sum();
  }

  public int dealt() {
    return counts().values().stream().mapToInt(Count::dealt).sum();
  }

  /** Kinds by roles: counted/dealt; a dash where nothing was dealt. */
  public String table() {
    Map<FaultCell, Count> all = counts();
    StringBuilder text = new StringBuilder("%-24s".formatted("counted/dealt"));
    for (FaultRole role : FaultRole.values()) {
      text.append("%12s".formatted(role.words()));
    }
    for (FaultKind kind : FaultKind.values()) {
      text.append("%n%-24s".formatted(kind.words()));
      for (FaultRole role : FaultRole.values()) {
        Count count = all.get(new FaultCell(kind, role));
        text.append("%12s".formatted(count == null ? "-" : count));
      }
    }
    return text.append("%n%-24s%12s%n".formatted("all", counted() + "/" + dealt())).toString();
  }
}
