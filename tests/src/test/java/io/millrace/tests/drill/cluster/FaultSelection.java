package io.millrace.tests.drill.cluster;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The faults that a long drill deals.
 *
 * @param kinds selected kinds
 * @param roles selected roles
 */
public record FaultSelection(Set<FaultKind> kinds, Set<FaultRole> roles) {
  private static final String KINDS = "millrace.drill.kinds";
  private static final String ROLES = "millrace.drill.roles";

  public FaultSelection {
    kinds = Set.copyOf(kinds);
    roles = Set.copyOf(roles);
  }

  /**
   * The selection of the system properties {@code millrace.drill.kinds} and {@code
   * millrace.drill.roles}, separated by commas; a property that is not set selects all.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  public static FaultSelection wanted() {
    return new FaultSelection(
        named(KINDS, System.getProperty(KINDS, ""), FaultKind.class),
        named(ROLES, System.getProperty(ROLES, ""), FaultRole.class));
  }

  static <E extends Enum<E>> Set<E> named(String property, String names, Class<E> type) {
    Set<E> named = EnumSet.noneOf(type);
    for (String name : names.split(",", -1)) {
      if (!name.isBlank()) {
        named.add(named(property, name.trim(), EnumSet.allOf(type)));
      }
    }
    return named.isEmpty() ? EnumSet.allOf(type) : named;
  }

  private static <E extends Enum<E>> E named(String property, String name, Set<E> all) {
    return all.stream()
        .filter(one -> one.name().equals(name))
        .findAny()
        .orElseThrow(
            () -> new IllegalArgumentException(property + ": " + name + " is not one of " + all));
  }

  /** Those of the faults that are selected. */
  List<Fault> of(List<Fault> faults) {
    return faults.stream().filter(one -> takes(one.cell())).toList();
  }

  /** Whether faults of that kind and role are selected. */
  public boolean takes(FaultCell cell) {
    return kinds.contains(cell.kind()) && roles.contains(cell.role());
  }
}
