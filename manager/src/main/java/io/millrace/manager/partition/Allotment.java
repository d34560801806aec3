package io.millrace.manager.partition;

import io.millrace.api.Pure;
import io.millrace.manager.partition.Ring.StableHash;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What changes hands when a cycle begins or the members of one change (C-07 to C-09). Resources
 * belong to the ring of those who share the cycle; what a living member has in its hands stays with
 * it, what a dead one had is to be polled again. Pure.
 *
 * @param added resources with their owners
 * @param vanished resources that nobody lists any more
 * @param moved resources with their new owners
 * @param released resources out of the hands of the dead
 */
@Pure
public record Allotment(
    List<Owned> added, List<String> vanished, List<Owned> moved, List<String> released) {

  /** A resource and whose it is. */
  public record Owned(String resource, String owner) {}

  /**
   * At the begin of a cycle, when nobody has anything in its hands.
   *
   * @param kept of the cycle before
   * @param listed what was discovered; what is there twice counts once
   * @param ring of those who share the cycle; not empty
   */
  public static Allotment begin(
      Collection<KeptResource> kept, Collection<String> listed, Ring ring) {
    Set<String> now = new LinkedHashSet<>(listed);
    List<KeptResource> stay = kept.stream().filter(one -> now.contains(one.name())).toList();
    List<String> vanished =
        kept.stream().map(KeptResource::name).filter(name -> !now.contains(name)).toList();
    return new Allotment(added(kept, now, ring), vanished, moved(stay, ring), List.of());
  }

  /** When another member has discovered something else: what it alone has found comes in. */
  public static Allotment join(
      Collection<KeptResource> kept, Collection<String> listed, Ring ring) {
    return new Allotment(
        added(kept, new LinkedHashSet<>(listed), ring), List.of(), List.of(), List.of());
  }

  /**
   * When members came or went within the cycle.
   *
   * @param living terms of all lives that last
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
   * A number that tells lists apart: the same for the same resources in any order and however often
   * each is named, and for others another one, but for a chance of 2⁻⁶⁴.
   */
  public static long mark(Collection<String> listed) {
    long mark = 0;
    for (String resource : new HashSet<>(listed)) {
      mark += StableHash.of(resource, 1);
    }
    return mark;
  }

  /**
   * A resource as a cycle has it.
   *
   * @param name of the resource
   * @param owner whose it is, by its name on the ring
   * @param holder term of the life that has it in its hands in this cycle; 0 when it waits or is
   *     done
   */
  @Pure
  record KeptResource(String name, String owner, long holder) {}
}
