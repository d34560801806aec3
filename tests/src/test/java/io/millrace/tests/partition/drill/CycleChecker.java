package io.millrace.tests.partition.drill;

import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether a cycle gave each resource to one member, and recorded it once; of a member that
 * vanished, what it had in its hands goes to a second one. Pure.
 */
final class CycleChecker {
  private CycleChecker() {}

  /**
   * Everything that is wrong, in words.
   *
   * @param resources of the cycle
   * @param journal who polled what
   * @param ended what is recorded of the cycle
   * @param victim who vanished; null for nobody
   * @param dropped what the victim had in its hands
   */
  static List<String> complaints(
      Collection<String> resources,
      CycleJournal journal,
      PartitionCycle ended,
      String victim,
      Collection<String> dropped) {
    List<String> complaints = new ArrayList<>();
    complainOfAny(complaints, without(resources, journal.resources()), "never polled");
    complainOfAny(complaints, without(journal.resources(), resources), "polled, and not theirs");
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
                complaints.add(resource + " was polled by " + pollers);
              }
            });
    if (ended.total() != resources.size() || ended.done() != resources.size()) {
      complaints.add(
          "%d resources, of which the cycle has %d and records %d as polled"
              .formatted(resources.size(), ended.total(), ended.done()));
    }
    if (ended.again() != dropped.size()) {
      complaints.add(
          "%d were given to a second member, of %d in the hands of one that vanished"
              .formatted(ended.again(), dropped.size()));
    }
    return complaints;
  }

  private static Set<String> without(Collection<String> some, Collection<String> others) {
    Set<String> rest = new TreeSet<>(some);
    others.forEach(rest::remove);
    return rest;
  }

  private static void complainOfAny(List<String> complaints, Set<String> some, String words) {
    if (!some.isEmpty()) {
      complaints.add(some.size() + " resources " + words + ", such as " + some.iterator().next());
    }
  }
}
