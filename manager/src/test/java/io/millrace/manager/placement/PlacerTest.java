package io.millrace.manager.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementPlan.JobVerdict;
import io.millrace.manager.placement.PlacementPlan.ShapeVerdict;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PlacerTest {
  private static final ShapeUser BOB = new ShapeUser("bob");
  private static final ShapeUser UNNAMED = new ShapeUser(null);
  private static final long GIGABYTE = 1L << 30;

  private final World world = new World();

  @Test
  void jobsSpreadOverTheEmptiestNodes() {
    world.with(World.node("e1", 4, 0), World.node("e2", 4, 0));
    for (int i = 0; i < 4; i++) {
      world.job(World.shape(1));
    }
    assertThat(world.nodesOf()).containsExactly("e1", "e2", "e1", "e2");
  }

  @Test
  void aSmallEmptyNodeIsPreferredToALargeOneThatIsHalfTaken() {
    world.with(World.node("e1", 16, 8), World.node("e2", 4, 0));
    world.job(World.shape(1));
    assertThat(world.nodesOf()).containsExactly("e2");
  }

  @Test
  void aJobRunsOnItsQueueNodesMachineWhileThereIsCapacity() {
    world.with(World.node("e1", 4, 0), World.node("e2", 4, 0));
    for (int i = 0; i < 5; i++) {
      world.job(World.shape(1), Duration.ZERO, "beside-e2", "queue:alert");
    }
    assertThat(world.nodesOf()).containsExactly("e2", "e2", "e2", "e2", "e1");
  }

  @Test
  void aJobIsTriedAgainWhereItFailedLeastThoughThatNodeIsFuller() {
    PlacementNode empty = World.node("e1", 16, 0);
    PlacementNode full = World.node("e2", 16, 15);
    world.with(empty, full);
    world.failedJob(World.shape(1), Map.of(empty, 1));
    assertThat(world.nodesOf()).containsExactly("e2");

    World everywhere = new World().with(empty, full);
    everywhere.failedJob(World.shape(1), Map.of(empty, 1, full, 2));
    assertThat(everywhere.nodesOf()).as("it failed on all").containsExactly("e1");

    World taken = new World().with(empty, World.node("e2", 16, 16));
    taken.failedJob(World.shape(1), Map.of(empty, 1));
    assertThat(taken.nodesOf()).as("no other node has a slot").containsExactly("e1");
  }

  @Test
  void programsWithoutSlotsSpreadByTheirNumber() {
    world.with(World.node("e1", 4, 4), World.node("e2", 4, 0));
    for (int i = 0; i < 4; i++) {
      world.job(World.shape(0));
    }
    assertThat(world.nodesOf()).containsExactlyInAnyOrder("e1", "e1", "e2", "e2");
  }

  @Test
  void aHigherPriorityGoesFirstAndAgeDecidesWithinOne() {
    world.with(World.node("e1", 2, 0));
    long young = world.job(World.shape(1), Duration.ofSeconds(1));
    long old = world.job(World.shape(1), Duration.ofSeconds(2));
    long urgent = world.job(World.shape(1).withPriority(5));
    assertThat(world.placed()).containsExactly(urgent, old);
    assertThat(world.placed()).doesNotContain(young);
  }

  @Test
  void tenMinutesOfWaitingCountAsOneStepOfPriorityAndNoMoreThanTenSteps() {
    world.with(World.node("e1", 1, 0));
    long old = world.job(World.shape(1), Duration.ofMinutes(31));
    world.job(World.shape(1).withPriority(2));
    assertThat(world.placed()).containsExactly(old);

    World other = new World().with(World.node("e1", 1, 0));
    other.job(World.shape(1), Duration.ofDays(30));
    long far = other.job(World.shape(1).withPriority(11));
    assertThat(other.placed()).containsExactly(far);
  }

  @Test
  void aJobThatCanNeverRunLiftsNoOtherByItsAge() {
    world.with(World.node("e1", 1, 0));
    world.job(World.shape(2), Duration.ofDays(1));
    world.job(World.shape(1));
    long urgent = world.job(World.shape(1).withPriority(1));
    assertThat(world.placed()).containsExactly(urgent);
  }

  @Test
  void nodesWithoutTheMemoryOrTheConsumablesAreLeftOut() {
    NodeCapacity small = new NodeCapacity(4, 4, 2 * GIGABYTE, null, false);
    NodeCapacity large = new NodeCapacity(4, 4, 8 * GIGABYTE, Map.of("gpu", 1), false);
    world.with(
        World.node("e1", small, Amounts.NONE, null), World.node("e2", large, Amounts.NONE, null));
    Shape hungry =
        new Shape("default", "ann", 0, 1, 500, 3 * GIGABYTE, Map.of("gpu", 1), null, null, null);
    long first = world.job(hungry, Duration.ofSeconds(1));
    world.job(hungry);
    assertThat(world.placed()).containsExactly(first);
    assertThat(world.nodesOf()).containsExactly("e2");
    assertThat(reasons(world))
        .containsExactly(
            new WaitReason(WaitCode.TURN, "other jobs come first, by priority, fair share or age"));
  }

  @Test
  void unknownCapacityDoesNotExcludeANode() {
    world.with(World.node("e1", 1, 0));
    long job = world.job(new Shape("default", "ann", 0, 1, 9000, GIGABYTE, null, null, null, null));
    assertThat(world.placed()).containsExactly(job);
  }

  @Test
  void theNodeWithTheHighestRankIsTakenEvenWhenOthersAreEmptier() {
    world
        .with(World.node("e1", 4, 0), World.node("e2", 4, 2))
        .tests(ExpressionTest.compiledBy(new Requirements(10)));
    world.job(new Shape("default", "ann", 0, 1, 0, 0, null, null, null, "name == 'e2' ? 1 : 0"));
    assertThat(world.nodesOf()).containsExactly("e2");
  }

  @Test
  void aReservedNodeTakesOnlyJobsThatRequestIt() {
    world
        .with(onlyAsked("e1"), World.node("e2", 1, 1))
        .tests(ExpressionTest.compiledBy(new Requirements(10)));
    world.job(World.shape(1));
    assertThat(world.place().placements()).isEmpty();
    assertThat(reasons(world)).extracting(WaitReason::code).containsExactly(WaitCode.NO_SLOT);

    long beside = world.job(World.shape(1), Duration.ZERO, "beside-e1", "queue:alert");
    long byName =
        world.job(new Shape("default", "ann", 0, 1, 0, 0, null, null, "name == 'e1'", null));
    assertThat(world.placed()).containsExactlyInAnyOrder(beside, byName);
  }

  @Test
  void aNodeClosedToADefinitionTakesOthersOfTheSameShape() {
    PlacementNode picky =
        new PlacementNode(
            new UUID(0, 1),
            "e1",
            null,
            NodeCapacity.ofSlots(2),
            NodeFacts.of("e1", NodeCapacity.ofSlots(2), List.of(), Map.of()),
            Amounts.NONE,
            Amounts.NONE,
            0,
            null,
            Map.of("ann/bad", "failed quickly 3 times in a row"));
    world.with(picky);
    world.job(World.shape(1), Duration.ofMinutes(2), null, "ann/bad");
    world.job(World.shape(1), Duration.ofMinutes(1), null, "ann/bad");
    long good = world.job(World.shape(1), Duration.ZERO, null, "ann/good");
    assertThat(world.placed()).containsExactly(good);
    assertThat(reasons(world))
        .containsExactly(
            new WaitReason(WaitCode.QUICK_FAILURES, "e1 failed quickly 3 times in a row"));
  }

  @Test
  void anExhaustedLicenceKeepsJobsWaitingAndAnUnknownOneNamesTheFix() {
    world.with(World.node("e1", 9, 0)).licence("matlab", 5, 4);
    Shape licensed = licensed("matlab", 1);
    long first = world.job(licensed, Duration.ofSeconds(1));
    world.job(licensed);
    world.job(licensed("nowhere", 1));
    world.job(licensed("matlab", 6));
    assertThat(world.placed()).containsExactly(first);
    assertThat(reasons(world))
        .extracting(WaitReason::words)
        .containsExactlyInAnyOrder(
            "licence matlab: 5 of 5 in use",
            "licence 'nowhere' is not defined; define it with 'millrace licence set nowhere --total N'",
            "needs 6 of licence matlab, of which there are 5");
  }

  @Test
  void unplacedJobsGetTheReasonWithFigures() {
    assertThat(reason(new World(), World.shape(1)))
        .isEqualTo(new WaitReason(WaitCode.NO_NODE, "no execution node serves pool default"));
    assertThat(reason(new World().with(World.node("e1", 4, 0)), World.shape(5)))
        .isEqualTo(
            new WaitReason(WaitCode.TOO_LARGE, "needs 5 slots; the largest matching node has 4"));
    assertThat(reason(new World().with(World.node("e1", 4, 2)), World.shape(3)))
        .isEqualTo(
            new WaitReason(WaitCode.NO_SLOT, "needs 3 slots; the most free on one node is 2"));
    assertThat(reason(new World().with(World.node("e1", 4, 4)), World.shape(1)))
        .isEqualTo(new WaitReason(WaitCode.NO_SLOT, "all 4 slots of node e1 are in use"));
    PlacementNode drained = World.node("e1", NodeCapacity.ofSlots(1), Amounts.NONE, "is draining");
    assertThat(reason(new World().with(drained), World.shape(1)))
        .isEqualTo(new WaitReason(WaitCode.NODES_CLOSED, "e1 is draining"));
    NodeCapacity sixteen = new NodeCapacity(1, 0, 16 * GIGABYTE, null, false);
    Amounts ten = new Amounts(0, 0, 10 * GIGABYTE, Map.of());
    Shape eight = new Shape("default", "ann", 0, 1, 0, 8 * GIGABYTE, null, null, null, null);
    assertThat(reason(new World().with(World.node("e1", sixteen, ten, null)), eight))
        .isEqualTo(
            new WaitReason(
                WaitCode.NO_RESOURCE, "needs 8GB memory; the most free on one node is 6GB"));
    Shape odd = new Shape("default", "ann", 0, 1, 0, 10_847L << 20, null, null, null, null);
    assertThat(reason(new World().with(World.node("e1", sixteen, ten, null)), odd).words())
        .isEqualTo("needs 10.6GB memory; the most free on one node is 6GB");
    Shape larger = new Shape("default", "ann", 0, 1, 0, 6_145L << 20, null, null, null, null);
    assertThat(reason(new World().with(World.node("e1", sixteen, ten, null)), larger).words())
        .as("amounts that would look the same are exact")
        .isEqualTo("needs 6145MB memory; the most free on one node is 6GB");
    World choosy =
        new World()
            .with(World.node("e1", sixteen, Amounts.NONE, null))
            .tests(ExpressionTest.compiledBy(new Requirements(10)));
    Shape picky = new Shape("default", "ann", 0, 1, 0, 0, null, null, "memory >= 64GB", null);
    assertThat(reason(choosy, picky).code()).isEqualTo(WaitCode.NO_MATCH);
    assertThat(reason(choosy, picky).words()).contains("memory >= 64GB").contains("16GB");
  }

  @Test
  void aNodeThatRefusesTheUserOfAJobAttractsNoneHoweverEmptyItIs() {
    world.with(
        World.taking("e1", 90, false), World.taking("e2", 4, true, "bob"), World.node("e3", 4, 4));
    world.job(World.shape(1).withUser(UNNAMED));
    world.job(World.shape(1).withUser(BOB));
    world.job(World.shape(1).withUser(UNNAMED));
    assertThat(world.nodesOf()).containsExactly("e2", "e2", "e2");
  }

  @Test
  void aNodeThatAnnouncesNoUsersMayTakeAll() {
    world.with(World.taking("e1", 90, false), World.node("e2", 4, 0));
    world.job(World.shape(1).withUser(BOB));
    world.job(World.shape(1).withUser(UNNAMED));
    assertThat(world.nodesOf()).containsExactly("e2", "e2");
  }

  @Test
  void usersDoNotMatterForProgramsAndForJobsOfEarlierVersions() {
    world.with(World.taking("e1", 1, false));
    long program = world.job(World.shape(0));
    long earlier = world.job(World.shape(1));
    assertThat(world.placed()).containsExactlyInAnyOrder(program, earlier);
  }

  @Test
  void aJobThatNoNodeRunsAsItsUserWaitsAndSaysWhatToDo() {
    PlacementNode none = World.taking("e1", 4, false);
    PlacementNode carol = World.taking("e2", 4, true, "carol");
    assertThat(reason(new World().with(none, carol), World.shape(1).withUser(BOB)))
        .isEqualTo(
            new WaitReason(
                WaitCode.NO_USER,
                "e1, e2 do not run jobs as user 'bob': add it to limits.runAsUsers there, where the"
                    + " agent must run as root"));
    assertThat(reason(new World().with(none), World.shape(1).withUser(UNNAMED)))
        .isEqualTo(
            new WaitReason(
                WaitCode.NO_USER,
                "e1 runs no jobs that name no user: name one (runAs), or set limits.defaultUser or"
                    + " limits.allowRoot there"));
    assertThat(reason(new World().with(carol), World.shape(1).withUser(new ShapeUser("root"))))
        .extracting(WaitReason::words)
        .isEqualTo(
            "jobs never run as root by name: name no user, and set limits.allowRoot on a node");
    // What keeps the nodes that would take it counts.
    PlacementNode full = World.node("e3", 1, 1);
    assertThat(reason(new World().with(none, full), World.shape(1).withUser(BOB)))
        .isEqualTo(new WaitReason(WaitCode.NO_SLOT, "all 1 slot of node e3 are in use"));
  }

  @Test
  void aGapIsNotKeptOnANodeThatRefusesTheUser() {
    world.with(World.taking("e1", 4, false), World.node("e2", 2, 2));
    world.job(World.shape(2).withUser(BOB), Duration.ofMinutes(5));
    long small = world.job(World.shape(1));
    assertThat(world.placed()).containsExactly(small);
  }

  @Test
  void aNodeGetsNoMoreJobsWithoutSlotsThanItCanStartSoon() {
    World world = new World().with(World.node("e1", 4, 0));
    for (int i = 0; i < 510; i++) {
      world.job(World.shape(0), Duration.ofHours(1));
    }
    long wide = world.job(World.shape(4), Duration.ZERO);

    assertThat(world.placed()).hasSize(501).contains(wide);
  }

  @Test
  void theAnswerOfEachNodeAgreesWithPlacement() {
    world.with(World.node("e1", 4, 4), World.node("e2", 1, 0));
    JobVerdict verdict = Placer.explain(world.snapshot(), World.shape(2), null, "ann/x");
    assertThat(verdict.reason())
        .isEqualTo(new WaitReason(WaitCode.NO_SLOT, "all 4 slots of node e1 are in use"));
    assertThat(verdict.nodes())
        .extracting(node -> node.node() + " " + node.reason().code())
        .containsExactly("e1 NO_SLOT", "e2 TOO_LARGE");
    assertThat(Placer.explain(world.snapshot(), World.shape(1), null, "ann/x").reason()).isNull();
  }

  private static WaitReason reason(World world, Shape shape) {
    world.job(shape);
    WaitReason planned = reasons(world).get(0);
    assertThat(Placer.explain(world.snapshot(), shape, null, "ann/x").reason()).isEqualTo(planned);
    return planned;
  }

  private static List<WaitReason> reasons(World world) {
    return world.place().waiting().stream().map(ShapeVerdict::reason).toList();
  }

  private static Shape licensed(String name, int amount) {
    return new Shape("default", "ann", 0, 1, 0, 0, null, Map.of(name, amount), null, null);
  }

  private static PlacementNode onlyAsked(String name) {
    NodeCapacity capacity = new NodeCapacity(4, 0, 0, null, true);
    return World.node(name, capacity, Amounts.NONE, null);
  }
}
