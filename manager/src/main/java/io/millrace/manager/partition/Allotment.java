package io.millrace.manager.partition;

import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The changes of ownership when a cycle begins or its members change (C-07 to C-09). Resources
 * belong to the ring of the members that share the cycle; resources that a current member is
 * polling stay with it, those of a former member have to be polled again. Pure.
 *
 * @param added resources with their owners
 * @param vanished resources that are no longer listed
 * @param moved resources with their new owners
 * @param released resources taken from former members
 */
@Pure
public record Allotment(
    List<Owned> added, List<String> vanished, List<Owned> moved, List<String> released) {

  /** A resource and its owner. */
  public record Owned(String resource, String owner) {}

  /**
   * At the begin of a cycle, when no resource is being polled.
   *
   * @param kept of the cycle before
   * @param listed the discovered resources; duplicates count once
   * @param ring of the members that share the cycle; not empty
   */
  public static Allotment begin(
      Collection<KeptResource> kept, Collection<String> listed, Ring ring) {
    Set<String> now = new LinkedHashSet<>(listed);
    List<KeptResource> stay = kept.stream().filter(one -> now.contains(one.name())).toList();
    List<String> vanished =
        kept.stream().map(KeptResource::name).filter(name -> !now.contains(name)).toList();
    return new Allotment(added(kept, now, ring), vanished, moved(stay, ring), List.of());
  }

  /** When a member has discovered further resources: they are added. */
  public static Allotment join(
      Collection<KeptResource> kept, Collection<String> listed, Ring ring) {
    return new Allotment(
        added(kept, new LinkedHashSet<>(listed), ring), List.of(), List.of(), List.of());
  }

  /**
   * When members joined or left during the cycle.
   *
   * @param living terms of all current members
   */
  public static Allotment change(Collection<KeptResource> kept, Ring ring, Set<Long> living) {
    List<KeptResource> loose = kept.stream().filter(one -> !living.contains(one.holder())).toList();
    List<String> released =
        loose.stream().filter(one -> one.holder() != 0).map(KeptResource::name).toList();
    return new Allotment(List.of(), List.of(), moved(loose, ring), released);
  }

  private static List<Owned> added(
      Collection<KeptResource> kept, Collection<String> listed, Ring ring) {
    Set<String> known = new HashSet<>();
    kept.forEach(one -> known.add(one.name()));
    return listed.stream()
        .filter(name -> !known.contains(name))
        .map(name -> new Owned(name, ring.owner(name).orElseThrow()))
        .toList();
  }

  private static List<Owned> moved(Collection<KeptResource> kept, Ring ring) {
    List<Owned> moved = new ArrayList<>();
    for (KeptResource one : kept) {
      String owner = ring.owner(one.name()).orElseThrow();
      if (!owner.equals(one.owner())) {
        moved.add(new Owned(one.name(), owner));
      }
    }
    return moved;
  }

  /**
   * A fingerprint of a list: the same for the same resources in any order and with duplicates;
   * different for other resources, except with a probability of 2⁻⁶⁴.
   */
  public static long mark(Collection<String> listed) {
    long mark = 0;
    for (String resource : new HashSet<>(listed)) {
      mark += StableHash.of(resource, 1);
    }
    return mark;
  }

  /**
   * A resource in a cycle.
   *
   * @param name of the resource
   * @param owner its owner on the ring
   * @param holder term of the member that is polling it in this cycle; 0 when it is waiting or done
   */
  @Pure
  record KeptResource(String name, String owner, long holder) {}
}
