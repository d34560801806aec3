package io.millrace.tests.drill.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Which faults were injected when; times are seconds of {@link Uptime}. Checkers use it to excuse
 * what a fault explains, and nothing else. Thread-safe; grows with the number of faults of a run.
 */
public final class FaultTimeline {
  /**
   * One fault.
   *
   * @param kind a description
   * @param targets names of the processes that it hits ({@code e1}), of links ({@code e1>c1}),
   *     {@code database}, or {@link #MACHINE} for all of them
   * @param from its start, or slightly earlier
   * @param until its removal, or slightly later; infinity while it is in effect
   */
  public record Injected(String kind, Set<String> targets, double from, double until) {
    public Injected {
      targets = Set.copyOf(targets);
    }

    /** Whether it was in effect at any moment of that time, ends included. */
    public boolean within(double begin, double end) {
      return from <= end && begin <= until;
    }

    @Override
    public String toString() {
      return "%s on %s from %.2f until %.2f"
          .formatted(kind, targets.stream().sorted().collect(Collectors.joining("+")), from, until);
    }
  }

  /** A fault in effect. */
  public interface Open {
    /** Sets its targets if they are known only after its start. */
    void hit(Set<String> targets);

    /** Ends it; call it once. */
    void end();
  }

  /** The target of a fault that hits every process, such as a stalled machine. */
  public static final String MACHINE = "machine";

  // Guarded by this.
  private final List<Injected> injected = new ArrayList<>();

  /** Records a fault that is about to begin. */
  public synchronized Open begin(String kind, Set<String> targets) {
    int index = injected.size();
    injected.add(new Injected(kind, targets, Uptime.now(), Double.POSITIVE_INFINITY));
    return new Open() {
      @Override
      public void hit(Set<String> known) {
        change(index, open -> new Injected(open.kind(), known, open.from(), open.until()));
      }

      @Override
      public void end() {
        double now = Uptime.now();
        change(index, open -> new Injected(open.kind(), open.targets(), open.from(), now));
      }
    };
  }

  private synchronized void change(int index, UnaryOperator<Injected> change) {
    injected.set(index, change.apply(injected.get(index)));
  }

  /** Records a fault whose times are already known. */
  public synchronized void add(Injected fault) {
    injected.add(fault);
  }

  /** All faults, in the order of their start. */
  public synchronized List<Injected> all() {
    return List.copyOf(injected);
  }
}
