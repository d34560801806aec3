package io.millrace.tests.drill.session;

import io.millrace.tests.drill.cluster.FaultTimeline;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import io.millrace.tests.drill.session.KeyJournal.Holding;
import io.millrace.tests.drill.session.SessionEntry.Begun;
import io.millrace.tests.drill.session.SessionEntry.Ended;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds workers that still worked on a session when another one already did. A job must not, as its
 * watchdog ends it at its deadline, unless the whole machine stood still. A program outside must
 * not unless it was frozen or cut off itself: it stops by itself as soon as it can look at its
 * deadline. Collects what it finds. Not thread-safe.
 */
final class SessionOverlaps {
  private final List<Injected> faults;
  private final List<String> watched = new ArrayList<>();
  private final List<String> unexplained = new ArrayList<>();
  private final List<String> explained = new ArrayList<>();

  SessionOverlaps(List<Injected> faults) {
    this.faults = List.copyOf(faults);
  }

  /** From the first event that a worker began under a number to the end of its last one. */
  private record Work(Holding holding, double from, double until) {
    boolean overlaps(Work other) {
      return from < other.until && other.from < until;
    }

    @Override
    public String toString() {
      return "%s from %.2f until %.2f".formatted(holding, from, until);
    }
  }

  /** Checks a session. */
  void check(KeyJournal journal) {
    List<Work> works = new ArrayList<>();
    journal.begun().forEach((holding, begun) -> works.add(work(journal, holding, begun)));
    for (int later = 1; later < works.size(); later++) {
      for (Work earlier : works.subList(0, later)) {
        if (earlier.overlaps(works.get(later))) {
          found(journal.key() + ": " + earlier + ", and " + works.get(later), earlier);
        }
      }
    }
  }

  /** An event that was begun and not ended was ended by a kill, at once at the earliest. */
  private static Work work(KeyJournal journal, Holding holding, List<Begun> begun) {
    double last = begun.stream().mapToDouble(Begun::at).max().orElseThrow();
    double ended =
        journal.ended().stream()
            .filter(one -> one.number().equals(holding.number()))
            .filter(one -> one.worker().equals(holding.worker()))
            .mapToDouble(Ended::at)
            .max()
            .orElse(last);
    return new Work(holding, begun.get(0).at(), Math.max(last, ended));
  }

  private void found(String overlap, Work earlier) {
    JournalWorker worker = earlier.holding().worker();
    Optional<Injected> machine = cause(earlier, Set.of(FaultTimeline.MACHINE));
    if (machine.isPresent()) {
      explained.add(overlap + ": " + machine.get());
    } else if (worker.watched()) {
      watched.add(overlap);
    } else {
      cause(earlier, Set.of(worker.name()))
          .map(fault -> "frozen: " + fault)
          .or(
              () ->
                  cause(earlier, Set.of(worker.node(), "consumers>" + worker.node()))
                      .map(fault -> "cut off: " + fault))
          .ifPresentOrElse(
              words -> explained.add(overlap + ": " + words), () -> unexplained.add(overlap));
    }
  }

  private Optional<Injected> cause(Work work, Set<String> targets) {
    return faults.stream()
        .filter(fault -> fault.targets().stream().anyMatch(targets::contains))
        .filter(fault -> fault.within(work.from(), work.until()))
        .findFirst();
  }

  /** Of jobs. */
  List<String> watched() {
    return watched;
  }

  /** Of programs outside that no fault explains. */
  List<String> unexplained() {
    return unexplained;
  }

  /** Of programs outside, and of a machine that stood still, with the fault that explains them. */
  List<String> explained() {
    return explained;
  }
}
