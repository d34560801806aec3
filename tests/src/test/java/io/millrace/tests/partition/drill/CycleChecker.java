package io.millrace.tests.partition.drill;

import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks that a cycle assigned each resource to one member and recorded it once; the resources of a
 * vanished member may go to a second one. Pure.
 */
final class CycleChecker {
  private CycleChecker() {}

  /**
   * All violations as text.
   *
   * @param resources of the cycle
   * @param journal the polls
   * @param ended the recorded state of the cycle
   * @param victim the vanished member; null for none
   * @param dropped the resources assigned to the victim
   */
  static List<String> violations(
      Collection<String> resources,
      CycleJournal journal,
      PartitionCycle ended,
      String victim,
      Collection<String> dropped) {
    List<String> violations = new ArrayList<>();
    addViolations(violations, without(resources, journal.resources()), "never polled");
    addViolations(
        violations, without(journal.resources(), resources), "polled, but not in the list");
    journal
        .repeated()
        .forEach(
            (resource, pollers) -> {
              boolean handedOn =
                  dropped.contains(resource)
                      && pollers.size() == 2
                      && pollers.get(0).equals(victim)
                      && !pollers.get(1).equals(victim);
              if (!handedOn) {
                violations.add(resource + " was polled by " + pollers);
              }
            });
    if (ended.total() != resources.size() || ended.done() != resources.size()) {
      violations.add(
          "%d resources, of which the cycle has %d and records %d as polled"
              .formatted(resources.size(), ended.total(), ended.done()));
    }
    if (ended.again() != dropped.size()) {
      violations.add(
          "%d were assigned to a second member, but the vanished one had %d"
              .formatted(ended.again(), dropped.size()));
    }
    return violations;
  }

  private static Set<String> without(Collection<String> some, Collection<String> others) {
    Set<String> rest = new TreeSet<>(some);
    others.forEach(rest::remove);
    return rest;
  }

  private static void addViolations(List<String> violations, Set<String> some, String words) {
    if (!some.isEmpty()) {
      violations.add(some.size() + " resources " + words + ", such as " + some.iterator().next());
    }
  }
}
