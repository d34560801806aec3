package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.DrainedSlots;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.session.SlotTable.SlotRange;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.database.DatabaseTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The slots of a queue of sessions in its weight row. */
class SessionSlotsTest {
  private static final Duration LOST = QueueWorld.LEASE.plus(HealingWorld.GRACE).plusSeconds(1);

  @TempDir Path folder;
  private final List<String> asked = new ArrayList<>();
  private QueueWorld world;
  private WeightPlacement placement;
  private WeightService service;
  private QueueNodeCommands commands;

  @BeforeEach
  void aQueueOfSessionsOnTwoNodes() {
    world = new QueueWorld(folder);
    placement =
        new WeightPlacement(
            world.database,
            "c1",
            world.weights,
            world.queues,
            world.queueNodes,
            (queue, holder, request) -> asked.add(queue + " " + holder + " " + request),
            () -> {});
    service = new WeightService(world.database, world.queues, world.queueNodes, () -> {});
    commands =
        new QueueNodeCommands(
            world.queueNodes,
            world.nodes,
            world.weights,
            new DatabaseTime(world.database.dialect()),
            () -> {});
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order}}\n---\n{kind: queue, name: alert}");
    world.reports("q1", "q2");
    placement.place();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void theFirstPointsAreConsecutiveSlotsAndOtherQueuesHaveNone() {
    assertThat(row().slots().ranges())
        .containsExactly(
            new SlotRange(0, 499, new SlotOwner("q1", 1, List.of())),
            new SlotRange(500, 999, new SlotOwner("q2", 1, List.of())));
    assertThat(world.weights.find("alert").orElseThrow().slots()).isNull();
    assertThat(world.weights.all()).contains(row());
  }

  @Test
  void aMoveGivesTheSlotsThatItNamesUnderTheNextEpochAndRemembersWhoHadThem() {
    move(1, "q1", "q2", 3, 7, 8);

    assertThat(row().version()).isEqualTo(2);
    assertThat(row().of("q2")).isEqualTo(503);
    assertThat(row().slots().owner(7)).isEqualTo(new SlotOwner("q2", 2, List.of("q1")));
    assertThat(row().slots().owner(6)).isEqualTo(new SlotOwner("q1", 1, List.of()));
  }

  @Test
  void sealedSlotsMoveThoughOthersHaveChangedTheRowMeanwhile() {
    move(1, "q1", "q2", 3);
    move(1, "q1", "q2", 7);

    assertThat(row().slots().owner(3).node()).isEqualTo("q2");
    assertThat(row().slots().owner(7).node()).isEqualTo("q2");
  }

  @Test
  void aMoveThatNamesTheWrongSlotsIsRefusedAndChangesNothing() {
    refused(ErrorCode.INVALID_REQUEST, "names as many different slots", () -> move(1, "q1", "q2"));
    refused(
        ErrorCode.INVALID_REQUEST,
        "names as many different slots",
        () -> move(1, "q1", "q2", 3, 3));
    refused(ErrorCode.INVALID_REQUEST, "0 to 999", () -> move(1, "q1", "q2", 1000));
    refused(ErrorCode.CONFLICT, "slot 600 of orders is of q2", () -> move(1, "q1", "q2", 600));
    refused(
        ErrorCode.INVALID_REQUEST,
        "alert has no sessions",
        () -> service.move(request(new WeightMove("alert", 1, "q1", "q2", 1, List.of(4)))));
    assertThat(row().version()).isEqualTo(1);
  }

  @Test
  void aSlotMovesAgainOnlyWhenWhatTheFirstOwnerHadHasArrived() {
    move(1, "q1", "q2", 3, 4);

    refused(
        ErrorCode.CONFLICT,
        "slot 3 of orders still waits for the events of q1",
        () -> move(2, "q2", "q1", 3));
    QueueWeights row = drained("q2", "q1", Map.of(3, 2L));
    assertThat(row.version()).isEqualTo(3);
    assertThat(row.slots().owner(3)).isEqualTo(new SlotOwner("q2", 2, List.of()));
    assertThat(row.slots().owner(4).undrained()).containsExactly("q1");

    move(3, "q2", "q1", 3);
    assertThat(row().slots().owner(3)).isEqualTo(new SlotOwner("q1", 3, List.of("q2")));
  }

  @Test
  void whatHasArrivedIsNotedOnceAndOnlyOfWhatTheRowStillSays() {
    move(1, "q1", "q2", 3, 4);

    assertThat(drained("q2", "q1", Map.of(3, 1L, 4, 9L, 600, 1L)).version()).isEqualTo(2);
    assertThat(drained("q1", "q2", Map.of(3, 2L)).version()).isEqualTo(2);
    assertThat(drained("q2", "q1", Map.of(3, 2L, 4, 2L)).version()).isEqualTo(3);
    assertThat(drained("q2", "q1", Map.of(3, 2L, 4, 2L)).version()).isEqualTo(3);

    List<WeightChange> history = service.weights("orders", Duration.ofMinutes(1)).history();
    assertThat(history).hasSize(3);
    assertThat(history.get(2).kind()).isEqualTo(BalancingKind.DRAINED);
    assertThat(history.get(2).reason())
        .isEqualTo("all events of 2 slots that q1 had have arrived at q2");
  }

  @Test
  void aQueueWithoutSlotsHasNothingToBeDrained() {
    refused(
        ErrorCode.CONFLICT,
        "alert has no slots",
        () -> service.drained("alert", new DrainedSlots(null, "q1", "q2", Map.of(1, 1L))));
    refused(
        ErrorCode.INVALID_REQUEST,
        "the slots are of other",
        () -> service.drained("orders", new DrainedSlots("other", "q1", "q2", Map.of())));
  }

  @Test
  void theSlotsOfALostNodeGoToTheLivingAndWaitForWhatItHad() {
    move(1, "q1", "q2", 3);
    loseQ2();

    assertThat(row().of("q2")).isZero();
    assertThat(row().slots().owner(0)).isEqualTo(new SlotOwner("q1", 1, List.of()));
    assertThat(row().slots().owner(3)).isEqualTo(new SlotOwner("q1", 3, List.of("q2")));
    assertThat(row().slots().owner(700).undrained()).containsExactly("q2");
    assertThat(world.weights.find("alert").orElseThrow().slots()).isNull();
  }

  @Test
  void aNodeThatSlotsWaitForIsForgottenOnlyByForceAndThenTheyGoOn() {
    loseQ2();

    refused(
        ErrorCode.CONFLICT,
        "500 slots of orders wait; bring it back, recover its events with 'millrace queue-node"
            + " rescue', or discard them with force=true",
        () -> commands.forget("q2", false, "ann"));
    long before = row().version();
    commands.forget("q2", true, "ann");

    assertThat(row().version()).isEqualTo(before + 1);
    assertThat(row().slots().ranges()).allMatch(range -> range.owner().undrained().isEmpty());
    assertThat(row().slots().owner(700).epoch()).isEqualTo(2);
    refused(ErrorCode.UNKNOWN_NODE, "q2", () -> commands.forget("q2", true, "ann"));
  }

  @Test
  void theLargestHolderIsAskedForTheSlotsOfAMissingSegmentAndNothingMovesByItself() {
    loseQ2();
    assertThat(row().points()).isEqualTo(Map.of("q1", 1000));
    asked.clear();

    placement.place();
    assertThat(asked).isEmpty();

    world.reports("q3");
    long version = row().version();
    placement.place();
    placement.place();

    assertThat(asked)
        .containsExactly(
            "orders q1 " + new SlotMoveRequest("q3", 500),
            "orders q1 " + new SlotMoveRequest("q3", 500));
    assertThat(row().version()).isEqualTo(version);
    assertThat(world.weights.find("alert").orElseThrow().points())
        .as("other queues get their segment at once")
        .containsKey("q3");
  }

  @Test
  void nobodyIsAskedWhileTheHolderIsNotLive() {
    world.apply("{kind: queue, name: orders, minSegments: 3, sessions: {key: order}}");
    world.reports("q3");
    world.silence("q1", QueueWorld.LEASE.plusSeconds(1));
    world.silence("q2", QueueWorld.LEASE.plusSeconds(1));

    placement.place();

    assertThat(asked).isEmpty();
  }

  @Test
  void pointsThatAServerOfTheVersionBeforeChangedAreFollowedByTheSlotsAtTheNextPlacement() {
    world.reweigh("orders", Map.of("q1", 400, "q2", 600));
    assertThat(row().version()).isEqualTo(2);
    assertThat(row().slots()).as("they were not changed with it").isNull();
    refused(ErrorCode.CONFLICT, "are being assigned again", () -> move(2, "q1", "q2", 3));
    refused(
        ErrorCode.CONFLICT,
        "being assigned again",
        () -> service.drained("orders", new DrainedSlots(null, "q2", "q1", Map.of(3, 2L))));

    placement.place();

    assertThat(row().version()).isEqualTo(3);
    assertThat(row().slots().ranges())
        .containsExactly(
            new SlotRange(0, 399, new SlotOwner("q1", 1, List.of())),
            new SlotRange(400, 499, new SlotOwner("q2", 2, List.of("q1"))),
            new SlotRange(500, 999, new SlotOwner("q2", 1, List.of())));
    placement.place();
    assertThat(row().version()).isEqualTo(3);
  }

  @Test
  void aRowWithoutAnySlotsGetsThemAndALostNodeIsHealedWithStaleOnes() {
    world.database.transaction(handle -> handle.execute("delete from queue_slot"));
    placement.place();
    assertThat(row().slots())
        .as("nodes may have had slots under epochs up to the version before")
        .isEqualTo(SlotTable.of(Map.of("q1", 500, "q2", 500)).raised(1));

    world.reweigh("orders", Map.of("q1", 400, "q2", 600));
    loseQ2();

    assertThat(row().points()).isEqualTo(Map.of("q1", 1000));
    assertThat(row().slots().owner(0).undrained()).isEmpty();
    assertThat(row().slots().owner(450))
        .as("what q1 had itself has not left it")
        .isEqualTo(new SlotOwner("q1", 4, List.of("q2")));
    assertThat(row().slots().owner(900)).isEqualTo(new SlotOwner("q1", 3, List.of("q2")));
  }

  /** A node that was away has slots of the deleted queue still, and must not keep to them. */
  @Test
  void aQueueThatIsDefinedAgainHasHigherEpochsThanItsSlotsEverHad() {
    move(1, "q1", "q2", 3);
    drained("q2", "q1", Map.of(3, 2L));
    move(3, "q2", "q1", 3);
    long before = row().version();
    world.database.transaction(
        handle -> {
          WeightDao.remove(handle, "orders");
          return null;
        });

    placement.place();

    assertThat(row().version()).isEqualTo(before + 1);
    assertThat(row().slots().ranges())
        .allMatch(range -> range.owner().epoch() == before + 1)
        .allMatch(range -> range.owner().undrained().isEmpty());
  }

  private QueueWeights row() {
    return world.weights.find("orders").orElseThrow();
  }

  private void loseQ2() {
    HealingWorld healing = new HealingWorld(world);
    Claim claim = healing.claim("c1");
    world.silence("q2", LOST);
    healing.settle(claim);
  }

  private QueueWeights drained(String node, String from, Map<Integer, Long> slots) {
    return service.drained("orders", new DrainedSlots("orders", node, from, slots));
  }

  private void move(long version, String from, String to, int... slots) {
    List<Integer> named = IntStream.of(slots).boxed().toList();
    int points = Math.max(1, named.size());
    service.move(request(new WeightMove("orders", version, from, to, points, named)));
  }

  private static MoveRequest request(WeightMove move) {
    return new MoveRequest(
        UUID.randomUUID(),
        move.from(),
        BalancingKind.SHED,
        "measured",
        List.of(move),
        "as the test wants",
        NullNode.getInstance());
  }

  private static void refused(ErrorCode code, String words, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }
}
