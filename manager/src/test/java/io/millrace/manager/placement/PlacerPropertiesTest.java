package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PlacerPropertiesTest {
  private record Shape(int slots, int priority, int near) {}

  private record Size(int slots, int used) {}

  @Provide
  Arbitrary<PlacementSnapshot> snapshots() {
    Arbitrary<Shape> shapes =
        Combinators.combine(
                Arbitraries.integers().between(1, 9),
                Arbitraries.integers().between(-2, 2),
                Arbitraries.integers().between(0, 3))
            .as(Shape::new);
    Arbitrary<Size> sizes =
        Combinators.combine(
                Arbitraries.integers().between(1, 8), Arbitraries.integers().between(0, 9))
            .as(Size::new);
    return Combinators.combine(shapes.list().ofMaxSize(30), sizes.list().ofMaxSize(5))
        .as(PlacerPropertiesTest::snapshot);
  }

  private static PlacementSnapshot snapshot(List<Shape> shapes, List<Size> sizes) {
    List<ReadyJob> jobs = new ArrayList<>();
    for (Shape shape : shapes) {
      String near = shape.near() == 0 ? null : "q" + shape.near();
      jobs.add(new ReadyJob(jobs.size() + 1, shape.slots(), shape.priority(), near));
    }
    List<OpenNode> nodes = new ArrayList<>();
    for (Size size : sizes) {
      int number = nodes.size() + 1;
      nodes.add(
          new OpenNode(
              new UUID(0, number),
              "e" + number,
              "q" + number,
              size.slots(),
              size.slots() - size.used()));
    }
    return new PlacementSnapshot("default", jobs, nodes);
  }

  @Property
  void noNodeIsBookedOverItsFreeSlots(@ForAll("snapshots") PlacementSnapshot snapshot) {
    Map<UUID, Integer> taken = new HashMap<>();
    for (Placement placement : Placer.place(snapshot).placements()) {
      taken.merge(placement.node(), job(snapshot, placement.job()).slots(), Integer::sum);
    }
    for (OpenNode node : snapshot.nodes()) {
      assertThat(taken.getOrDefault(node.id(), 0)).isLessThanOrEqualTo(Math.max(0, node.free()));
    }
  }

  @Property
  void noJobIsPlacedTwice(@ForAll("snapshots") PlacementSnapshot snapshot) {
    assertThat(Placer.place(snapshot).placements())
        .extracting(Placement::job)
        .doesNotHaveDuplicates();
  }

  @Property
  void aJobIsPassedOverOnlyWhenItFitsNowhereAfterThoseBeforeIt(
      @ForAll("snapshots") PlacementSnapshot snapshot) {
    PlacementPlan plan = Placer.place(snapshot);
    Map<Long, Placement> placed = new HashMap<>();
    plan.placements().forEach(placement -> placed.put(placement.job(), placement));
    Map<UUID, Integer> free = new HashMap<>();
    snapshot.nodes().forEach(node -> free.put(node.id(), node.free()));
    List<ReadyJob> order = new ArrayList<>(snapshot.jobs());
    order.sort((left, right) -> Integer.compare(right.priority(), left.priority()));
    for (ReadyJob job : order) {
      Placement placement = placed.get(job.id());
      if (placement == null) {
        assertThat(free.values()).allMatch(slots -> slots < job.slots());
      } else {
        free.merge(placement.node(), -job.slots(), Integer::sum);
      }
    }
  }

  @Property
  void aJobWiderThanEveryNodeIsExplained(@ForAll("snapshots") PlacementSnapshot snapshot) {
    int widest = snapshot.nodes().stream().mapToInt(OpenNode::slots).max().orElse(0);
    Set<Long> tooWide = new HashSet<>();
    snapshot.jobs().stream()
        .filter(job -> job.slots() > widest)
        .forEach(job -> tooWide.add(job.id()));
    assertThat(Placer.place(snapshot).unplaceable().keySet()).isEqualTo(tooWide);
  }

  @Property
  void theSameSnapshotGivesTheSamePlan(@ForAll("snapshots") PlacementSnapshot snapshot) {
    assertThat(Placer.place(snapshot)).isEqualTo(Placer.place(snapshot));
  }

  private static ReadyJob job(PlacementSnapshot snapshot, long id) {
    return snapshot.jobs().stream().filter(job -> job.id() == id).findFirst().orElseThrow();
  }
}
