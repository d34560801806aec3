package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.UniqueElements;
import org.junit.jupiter.api.Test;

class RingTest {
  private static final int RESOURCES = 10_000;
  private static final int MEMBERS = 10;

  @Property(tries = 200)
  void noMemberOfTenHasAQuarterMoreThanTheMean(@ForAll long seed) {
    List<String> resources = resources(seed);
    Map<String, List<String>> shares = Ring.of(members(seed, MEMBERS)).split(resources);
    int max = shares.values().stream().mapToInt(List::size).max().orElseThrow();
    assertThat(max).isLessThanOrEqualTo((int) (1.25 * RESOURCES / MEMBERS));
  }

  @Property(tries = 100)
  void aMemberThatJoinsTakesAboutItsShareAndMovesNothingBetweenTheOthers(@ForAll long seed) {
    List<String> eleven = members(seed, MEMBERS + 1);
    Ring before = Ring.of(eleven.subList(0, MEMBERS));
    Ring after = Ring.of(eleven);
    List<String> moved = moved(before, after, resources(seed));
    assertThat(moved).hasSizeLessThanOrEqualTo((int) (1.5 * RESOURCES / (MEMBERS + 1)));
    assertThat(moved)
        .isNotEmpty()
        .allMatch(resource -> after.owner(resource).orElseThrow().equals(eleven.get(MEMBERS)));
  }

  @Property(tries = 100)
  void aMemberThatLeavesGivesAwayJustItsOwn(@ForAll long seed) {
    List<String> ten = members(seed, MEMBERS);
    Ring before = Ring.of(ten);
    Ring after = Ring.of(ten.subList(1, MEMBERS));
    List<String> resources = resources(seed);
    List<String> moved = moved(before, after, resources);
    assertThat(moved).hasSizeLessThanOrEqualTo((int) (1.5 * RESOURCES / MEMBERS));
    assertThat(moved).isEqualTo(before.split(resources).get(ten.get(0)));
  }

  @Property
  void theOrderInWhichMembersAreNamedDecidesNothing(
      @ForAll @UniqueElements @Size(min = 1, max = 12) List<String> names, @ForAll long seed) {
    List<String> shuffled = new ArrayList<>(names);
    Collections.shuffle(shuffled, new Random(seed));
    shuffled.add(names.get(0));
    List<String> resources = resources(seed, 100);
    assertThat(moved(Ring.of(names), Ring.of(shuffled), resources)).isEmpty();
  }

  @Property
  void everyResourceHasExactlyOneOwner(
      @ForAll @Size(max = 50) @UniqueElements List<String> resources,
      @ForAll @IntRange(min = 1, max = 20) int members) {
    Ring ring = Ring.of(members(1, members));
    Map<String, List<String>> shares = ring.split(resources);
    assertThat(shares).containsOnlyKeys(ring.members());
    assertThat(shares.values().stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(resources);
    shares.forEach(
        (member, share) ->
            assertThat(share)
                .allMatch(resource -> ring.owner(resource).orElseThrow().equals(member)));
  }

  @Test
  void anEmptyGroupHasNoOwners() {
    assertThat(Ring.of(List.of()).owner("anything")).isEmpty();
    assertThat(Ring.of(List.of()).split(List.of("anything"))).isEmpty();
  }

  /** The expected owners were computed by another program in another language. */
  @Test
  void theSameInEveryProcess() {
    Ring ring = Ring.of(List.of("agent_0", "agent_1", "agent_2", "agent_3", "agent_4"));
    assertThat(
            IntStream.range(0, 12)
                .mapToObj(number -> ring.owner("resource_" + number).orElseThrow())
                .map(owner -> owner.substring(6)))
        .containsExactly("2", "4", "4", "2", "3", "1", "1", "2", "4", "0", "0", "0");
  }

  private static List<String> moved(Ring before, Ring after, List<String> resources) {
    return resources.stream()
        .filter(resource -> !before.owner(resource).equals(after.owner(resource)))
        .toList();
  }

  private static List<String> members(long seed, int count) {
    return IntStream.range(0, count).mapToObj(number -> "agent-" + seed + "-" + number).toList();
  }

  private static List<String> resources(long seed) {
    return resources(seed, RESOURCES);
  }

  private static List<String> resources(long seed, int count) {
    return IntStream.range(0, count).mapToObj(number -> "vm-" + number + "/" + seed).toList();
  }
}
