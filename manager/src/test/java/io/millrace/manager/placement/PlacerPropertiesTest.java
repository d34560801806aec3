package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.WaitCode;
import io.millrace.api.node.AcceptedUsers;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementPlan.Placement;
import io.millrace.manager.placement.PlacementSnapshot.LicenceStock;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PlacerPropertiesTest {
  // The empty one stands for jobs that name no user.
  private static final List<String> USERS = List.of("", "ann", "bob");

  private record Job(Shape shape, int waits, int near) {}

  private record Size(
      NodeCapacity capacity, Amounts used, boolean closed, Optional<AcceptedUsers> users) {}

  @Provide
  Arbitrary<PlacementSnapshot> snapshots() {
    Arbitrary<Shape> shapes =
        Combinators.combine(
                number(0, 5), number(-2, 2), number(0, 3), number(0, 2), number(0, 1), number(1, 3))
            .as(
                (slots, priority, memory, gpus, licences, share) ->
                    new Shape(
                        "default",
                        "share" + share,
                        priority,
                        slots,
                        slots * 500,
                        memory,
                        gpus == 0 ? null : Map.of("gpu", gpus),
                        licences == 0 ? null : Map.of("matlab", licences),
                        null,
                        null));
    Arbitrary<ShapeUser> users =
        Arbitraries.of(USERS).map(name -> new ShapeUser(name.isEmpty() ? null : name));
    Arbitrary<Job> jobs =
        Combinators.combine(shapes, number(0, 4000), number(0, 3), users.injectNull(0.3))
            .as((shape, waits, near, user) -> new Job(shape.withUser(user), waits, near));
    Arbitrary<NodeCapacity> capacities =
        Combinators.combine(
                number(1, 8), number(0, 4), number(0, 9), number(0, 3), Arbitraries.of(true, false))
            .as(
                (slots, cpus, memory, gpus, asked) ->
                    new NodeCapacity(slots, cpus, memory, Map.of("gpu", gpus), asked));
    Arbitrary<Amounts> used =
        Combinators.combine(number(0, 4), number(0, 3000), number(0, 5), number(0, 2))
            .as((slots, cpu, memory, gpus) -> new Amounts(slots, cpu, memory, Map.of("gpu", gpus)));
    Arbitrary<Optional<AcceptedUsers>> accepted =
        Arbitraries.subsetOf(USERS)
            .map(
                all ->
                    new AcceptedUsers(
                        all.stream()
                            .filter(name -> !name.isEmpty())
                            .collect(Collectors.toUnmodifiableSet()),
                        all.contains("")))
            .optional();
    Arbitrary<Size> sizes =
        Combinators.combine(capacities, used, Arbitraries.of(true, false, false), accepted)
            .as(Size::new);
    return Combinators.combine(
            jobs.list().ofMaxSize(40), sizes.list().ofMaxSize(5), number(0, 4), number(0, 3))
        .as(PlacerPropertiesTest::snapshot);
  }

  private static Arbitrary<Integer> number(int min, int max) {
    return Arbitraries.integers().between(min, max);
  }

  private static PlacementSnapshot snapshot(
      List<Job> jobs, List<Size> sizes, int licences, int usedLicences) {
    World world = new World().licence("matlab", licences, usedLicences);
    for (Job job : jobs) {
      String near = job.near() == 0 ? null : "beside-e" + job.near();
      world.job(job.shape(), Duration.ofSeconds(job.waits()), near, "ann/x");
    }
    int number = 0;
    for (Size size : sizes) {
      number++;
      world.with(
          World.node(
                  "e" + number, size.capacity(), size.used(), size.closed() ? "is draining" : null)
              .withUsers(size.users()));
    }
    return world.snapshot();
  }

  @Property
  void noNodeIsBookedOverAnythingItHas(@ForAll("snapshots") PlacementSnapshot snapshot) {
    Map<UUID, Amounts> taken = new HashMap<>();
    for (Placement one : Placer.place(snapshot).placements()) {
      taken.merge(one.node(), Amounts.of(one.shape()), Amounts::plus);
    }
    for (PlacementNode node : snapshot.nodes()) {
      Amounts more = taken.get(node.id());
      if (more == null) {
        continue;
      }
      assertThat(node.unavailable()).isNull();
      NodeCapacity has = node.capacity();
      Amounts all = node.used().plus(more);
      assertThat(more.slots() == 0 || all.slots() <= has.slots()).isTrue();
      assertThat(has.cpus() <= 0 || more.cpuMillis() == 0 || all.cpuMillis() <= has.cpus() * 1000)
          .isTrue();
      assertThat(
              has.memoryBytes() <= 0
                  || more.memoryBytes() == 0
                  || all.memoryBytes() <= has.memoryBytes())
          .isTrue();
      more.resources()
          .forEach(
              (name, amount) ->
                  assertThat(all.resources().get(name))
                      .isLessThanOrEqualTo(has.resources().get(name)));
    }
  }

  @Property
  void noLicenceIsGivenOutTwice(@ForAll("snapshots") PlacementSnapshot snapshot) {
    int given =
        Placer.place(snapshot).placements().stream()
            .mapToInt(one -> one.shape().licences().getOrDefault("matlab", 0))
            .sum();
    LicenceStock stock = snapshot.licences().get("matlab");
    assertThat(given).isLessThanOrEqualTo(Math.max(0, stock.total() - stock.used()));
  }

  @Property
  void noJobIsPlacedTwice(@ForAll("snapshots") PlacementSnapshot snapshot) {
    assertThat(Placer.place(snapshot).placements())
        .extracting(one -> one.job().id())
        .doesNotHaveDuplicates();
  }

  @Property
  void theSameSnapshotGivesTheSamePlan(@ForAll("snapshots") PlacementSnapshot snapshot) {
    assertThat(Placer.place(snapshot)).isEqualTo(Placer.place(snapshot));
  }

  @Property
  void aNodeThatTakesOnlyJobsThatAskGetsOnlyThose(@ForAll("snapshots") PlacementSnapshot snapshot) {
    Map<UUID, PlacementNode> nodes = new HashMap<>();
    snapshot.nodes().forEach(node -> nodes.put(node.id(), node));
    for (Placement one : Placer.place(snapshot).placements()) {
      PlacementNode node = nodes.get(one.node());
      assertThat(!node.capacity().onlyAsked() || node.near().equals(one.job().near())).isTrue();
    }
  }

  @Property
  void noNodeGetsAJobOfAUserThatItRefuses(@ForAll("snapshots") PlacementSnapshot snapshot) {
    Map<UUID, PlacementNode> nodes = new HashMap<>();
    snapshot.nodes().forEach(node -> nodes.put(node.id(), node));
    for (Placement one : Placer.place(snapshot).placements()) {
      ShapeUser user = one.shape().user();
      Optional<AcceptedUsers> accepted = nodes.get(one.node()).users();
      assertThat(user == null || accepted.isEmpty() || accepted.get().accepts(user.name()))
          .isTrue();
    }
  }

  @Property
  void aJobWaitsForAUserOnlyIfEveryNodeRefusesIt(@ForAll("snapshots") PlacementSnapshot snapshot) {
    Map<Long, Shape> shapes = new HashMap<>();
    snapshot.queues().forEach(queue -> shapes.put(queue.shapeId(), queue.shape()));
    Placer.place(snapshot).waiting().stream()
        .filter(verdict -> verdict.reason().code() == WaitCode.NO_USER)
        .forEach(
            verdict ->
                assertThat(snapshot.nodes())
                    .noneMatch(shapes.get(verdict.shapeId()).user()::acceptedBy));
  }

  @Property
  void everyLineIsPlacedWholeOrToldWhyItWaits(@ForAll("snapshots") PlacementSnapshot snapshot) {
    PlacementPlan plan = Placer.place(snapshot);
    Set<Long> told = new HashSet<>();
    plan.waiting().forEach(verdict -> told.add(verdict.shapeId()));
    Set<Long> placed = new HashSet<>();
    plan.placements().forEach(one -> placed.add(one.job().id()));
    for (ShapeQueue line : snapshot.queues()) {
      boolean whole =
          placed.contains(line.head().id())
              && line.rest().after(line.head(), 100).stream()
                  .allMatch(job -> placed.contains(job.id()));
      assertThat(told.contains(line.shapeId())).isEqualTo(!whole);
    }
    assertThat(plan.waiting()).noneMatch(verdict -> verdict.reason().code() == WaitCode.SOON);
  }
}
