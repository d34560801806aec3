package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.partition.Allotment.KeptResource;
import io.millrace.manager.partition.Allotment.Owned;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AllotmentTest {
  private static final List<String> RESOURCES =
      IntStream.range(0, 300).mapToObj(number -> "r" + number).toList();
  private static final Ring TWO = Ring.of(List.of("a", "b"));
  private static final Ring ONE = Ring.of(List.of("b"));

  @Test
  void aFirstCycleHasEverythingOnTheRingAndNothingTwice() {
    List<String> twice = new ArrayList<>(RESOURCES);
    twice.addAll(RESOURCES);
    Allotment allotment = Allotment.begin(List.of(), twice, TWO);
    assertThat(allotment.added()).hasSize(RESOURCES.size());
    assertThat(allotment.added())
        .allSatisfy(one -> assertThat(TWO.owner(one.resource())).contains(one.owner()));
    assertThat(allotment.moved()).isEmpty();
    assertThat(allotment.vanished()).isEmpty();
  }

  @Test
  void aCycleWithTheSameMembersAndResourcesChangesNothing() {
    Allotment allotment = Allotment.begin(kept(TWO, 0), RESOURCES, TWO);
    assertThat(allotment).isEqualTo(new Allotment(List.of(), List.of(), List.of(), List.of()));
  }

  @Test
  void unlistedResourcesAreRemovedAndNewOnesAdded() {
    List<String> listed = new ArrayList<>(RESOURCES.subList(1, 300));
    listed.add("new");
    Allotment allotment = Allotment.begin(kept(TWO, 0), listed, TWO);
    assertThat(allotment.vanished()).containsExactly("r0");
    assertThat(allotment.added()).containsExactly(new Owned("new", TWO.owner("new").orElseThrow()));
  }

  @Test
  void anotherMembersListChangesNothing() {
    Allotment allotment = Allotment.join(kept(TWO, 0), List.of("r1", "new"), TWO);
    assertThat(allotment.added()).extracting(Owned::resource).containsExactly("new");
    assertThat(allotment.vanished()).isEmpty();
  }

  @Test
  void theShareOfALostMemberIsReassignedAndPolledAgain() {
    List<KeptResource> kept = kept(TWO, 0);
    KeptResource held = kept.stream().filter(one -> one.owner().equals("a")).findFirst().get();
    kept.set(kept.indexOf(held), new KeptResource(held.name(), "a", 1));
    Allotment allotment = Allotment.change(kept, ONE, Set.of(2L));
    assertThat(allotment.released()).containsExactly(held.name());
    assertThat(allotment.moved())
        .hasSize(TWO.split(RESOURCES).get("a").size())
        .allMatch(one -> one.owner().equals("b"));
  }

  @Test
  void resourcesHeldByALiveMemberStayWithIt() {
    Allotment allotment = Allotment.change(kept(TWO, 7), ONE, Set.of(7L));
    assertThat(allotment.moved()).isEmpty();
    assertThat(allotment.released()).isEmpty();
  }

  @Property(tries = 50)
  void theMarkIsOfTheSetAndNotOfItsOrder(@ForAll long seed, @ForAll @IntRange(max = 299) int at) {
    List<String> shuffled = new ArrayList<>(RESOURCES);
    Collections.shuffle(shuffled, new Random(seed));
    assertThat(Allotment.mark(shuffled)).isEqualTo(Allotment.mark(RESOURCES));
    shuffled.add(shuffled.get(at));
    assertThat(Allotment.mark(shuffled)).as("named twice").isEqualTo(Allotment.mark(RESOURCES));
    shuffled.removeAll(List.of(RESOURCES.get(at)));
    assertThat(Allotment.mark(shuffled)).isNotEqualTo(Allotment.mark(RESOURCES));
  }

  private static List<KeptResource> kept(Ring ring, long holder) {
    List<KeptResource> kept = new ArrayList<>();
    for (String resource : RESOURCES) {
      kept.add(new KeptResource(resource, ring.owner(resource).orElseThrow(), holder));
    }
    return kept;
  }
}
