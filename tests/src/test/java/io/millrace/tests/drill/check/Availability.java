package io.millrace.tests.drill.check;

import io.millrace.tests.drill.cluster.FaultTimeline;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which processes were available when, according to the injected faults: a node is disturbed by its
 * own faults, or while it is cut off from every central manager in service; an outage is a time
 * without a central manager in service. An outage disturbs no node, because it must not make a node
 * lost. Pure.
 */
public final class Availability {
  private static final String DATABASE = "database";

  /**
   * A span of time, in seconds since boot.
   *
   * @param from its start
   * @param until its end
   */
  public record Span(double from, double until) {}

  private final List<Injected> faults;
  private final List<String> managers;
  private final List<Span> outages;

  /**
   * Evaluates the faults injected so far.
   *
   * @param managers names of the central managers
   */
  public Availability(List<Injected> faults, List<String> managers) {
    this.faults = List.copyOf(faults);
    this.managers = List.copyOf(managers);
    this.outages = findOutages();
  }

  /** Spans without a central manager in service, ends included, in order. */
  public List<Span> outages() {
    return outages;
  }

  /**
   * Whether anything disturbed the node between that time before the span and its end. Outages do
   * not count as time before: what happened before an outage is reported only after it.
   */
  public boolean disturbed(String node, Span span, double before) {
    double from = span.from() - before;
    for (int i = outages.size() - 1; i >= 0; i--) {
      Span outage = outages.get(i);
      if (outage.from() <= span.until() && outage.until() >= from) {
        from = Math.min(from, outage.from() - before);
      }
    }
    return disturbed(node, new Span(from, span.until()));
  }

  /** Whether anything disturbed the node at any moment of that span. */
  public boolean disturbed(String node, Span span) {
    boolean hit =
        faults.stream()
            .filter(fault -> fault.within(span.from(), span.until()))
            .anyMatch(fault -> hits(fault, node));
    return hit || moments(span).anyMatch(moment -> cutOff(node, moment));
  }

  /** Whether an outage or a fault of the whole machine touches that span. */
  public boolean outage(Span span) {
    return outages.stream()
            .anyMatch(one -> one.from() <= span.until() && span.from() <= one.until())
        || faults.stream()
            .anyMatch(
                fault ->
                    fault.targets().contains(FaultTimeline.MACHINE)
                        && fault.within(span.from(), span.until()));
  }

  private static boolean hits(Injected fault, String name) {
    return fault.targets().contains(name) || fault.targets().contains(FaultTimeline.MACHINE);
  }

  // The state changes only where a fault begins or ends.
  private Stream<Double> moments(Span span) {
    return Stream.concat(
        Stream.of(span.from()),
        faults.stream()
            .flatMap(fault -> Stream.of(fault.from(), fault.until()))
            .filter(at -> at >= span.from() && at <= span.until()));
  }

  private boolean cutOff(String node, double moment) {
    List<String> serving = managers.stream().filter(manager -> serves(manager, moment)).toList();
    return !serving.isEmpty()
        && serving.stream().allMatch(manager -> hitAt(node + ">" + manager, moment));
  }

  private boolean serves(String manager, double moment) {
    return !hitAt(manager, moment)
        && !hitAt(DATABASE, moment)
        && !hitAt(manager + ">" + DATABASE, moment);
  }

  private boolean hitAt(String name, double moment) {
    return faults.stream()
        .anyMatch(fault -> fault.targets().contains(name) && fault.within(moment, moment));
  }

  private List<Span> findOutages() {
    List<Double> moments =
        moments(new Span(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY))
            .filter(moment -> moment != Double.NEGATIVE_INFINITY)
            .distinct()
            .sorted()
            .toList();
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i + 1 < moments.size(); i++) {
      double from = moments.get(i);
      double until = moments.get(i + 1);
      double within = Double.isInfinite(until) ? from + 1 : (from + until) / 2;
      if (managers.stream().noneMatch(manager -> serves(manager, within))) {
        boolean continues = !spans.isEmpty() && spans.get(spans.size() - 1).until() == from;
        double begin = continues ? spans.remove(spans.size() - 1).from() : from;
        spans.add(new Span(begin, until));
      }
    }
    return List.copyOf(spans);
  }
}
