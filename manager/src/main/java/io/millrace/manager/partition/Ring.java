package io.millrace.manager.partition;

import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A consistent-hash ring: each member has 512 points on a circle of 64-bit numbers, and a resource
 * belongs to the member of the next point at or after its own hash. A member that joins or leaves
 * moves just its own share (C-14). Immutable; the same set of names yields the same ring
 * everywhere, in any order.
 *
 * <p>Point number p (1 to 512) of a member is the XXH64 of its name with p as the seed, a
 * resource's hash is its XXH64 with seed 0; both are compared as unsigned numbers.
 */
@Pure
public final class Ring {
  /** Points per member: with it the shares of ten members are within some 10 % of the mean. */
  public static final int POINTS = 512;

  private record Point(long position, int member) {}

  private static final Comparator<Point> BY_POSITION =
      (one, other) -> {
        int places = Long.compareUnsigned(one.position, other.position);
        return places == 0 ? Integer.compare(one.member, other.member) : places;
      };

  private final List<String> members;
  private final long[] positions;
  private final int[] owners;

  private Ring(List<String> members, List<Point> points) {
    this.members = members;
    this.positions = new long[points.size()];
    this.owners = new int[points.size()];
    for (int i = 0; i < positions.length; i++) {
      positions[i] = points.get(i).position();
      owners[i] = points.get(i).member();
    }
  }

  /** The ring of these names; duplicates count once. */
  public static Ring of(Collection<String> names) {
    List<String> members = List.copyOf(new TreeSet<>(names));
    List<Point> points = new ArrayList<>(members.size() * POINTS);
    for (int member = 0; member < members.size(); member++) {
      for (int number = 1; number <= POINTS; number++) {
        points.add(new Point(StableHash.of(members.get(member), number), member));
      }
    }
    // Of two points at one place the lower name's comes first, so that the order is defined.
    points.sort(BY_POSITION);
    return new Ring(members, points);
  }

  /** The members by name. */
  public List<String> members() {
    return members;
  }

  /** The owner of a resource; empty when there are no members. */
  public Optional<String> owner(String resource) {
    return members.isEmpty() ? Optional.empty() : Optional.of(find(resource));
  }

  /** The resources of each member, in the order given; every member has an entry. */
  public Map<String, List<String>> split(Collection<String> resources) {
    Map<String, List<String>> shares = new LinkedHashMap<>();
    members.forEach(member -> shares.put(member, new ArrayList<>()));
    if (!members.isEmpty()) {
      resources.forEach(resource -> shares.get(find(resource)).add(resource));
    }
    return shares;
  }

  private String find(String resource) {
    long position = StableHash.of(resource, 0);
    int low = 0;
    int high = positions.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(positions[middle], position) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return members.get(owners[low == positions.length ? 0 : low]);
  }
}
