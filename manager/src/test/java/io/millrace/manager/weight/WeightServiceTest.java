package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeightServiceTest {
  private static final JsonNode INPUTS = Json.mapper().valueToTree(Map.of("load", 0.81));

  @TempDir Path folder;
  private final AtomicInteger hints = new AtomicInteger();
  private QueueWorld world;
  private WeightService moves;
  private WeightService history;

  @BeforeEach
  void twoQueuesOnThreeNodes() {
    world = new QueueWorld(folder);
    moves =
        new WeightService(world.database, world.queues, world.queueNodes, hints::incrementAndGet);
    history = new WeightService(world.database, world.queues, world.queueNodes, () -> {});
    world.apply("{kind: queue, name: alert}\n---\n{kind: queue, name: push}");
    world.reports("q1", "q2", "q3");
    world.weigh("alert", Map.of("q1", 500, "q2", 500));
    world.weigh("push", Map.of("q1", 600, "q2", 400));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void movesOfSeveralQueuesAreCarriedOutTogetherAndRecorded() {
    MoveRequest request =
        request(
            new WeightMove("push", 1, "q1", "q2", 100),
            new WeightMove("alert", 1, "q1", "q3", 180),
            new WeightMove("alert", 1, "q1", "q2", 20));
    MoveAnswer answer = moves.move(request);

    assertThat(answer.repeated()).isFalse();
    assertThat(answer.rows())
        .containsExactly(
            new QueueWeights("alert", 2, Map.of("q1", 300, "q2", 520, "q3", 180)),
            new QueueWeights("push", 2, Map.of("q1", 500, "q2", 500)));
    assertThat(world.weights.all()).isEqualTo(answer.rows());
    assertThat(hints).hasValue(1);

    BalancingDecisionView decision = history.decisions("alert", null, 10).get(0);
    assertThat(decision.id()).isEqualTo(request.id());
    assertThat(decision.node()).isEqualTo("q1");
    assertThat(decision.kind()).isEqualTo(BalancingKind.SHED);
    assertThat(decision.policy()).isEqualTo("measured");
    assertThat(decision.moves()).isEqualTo(request.moves());
    assertThat(decision.reason()).isEqualTo("q1 at 0.81 > 0.70 for 2 ticks");
    assertThat(decision.inputs()).isEqualTo(INPUTS);
    WeightChange change = history.weights("alert", Duration.ofMinutes(1)).history().get(1);
    assertThat(change.version()).isEqualTo(2);
    assertThat(change.points()).isEqualTo(answer.rows().get(0).points());
    assertThat(change.reason()).isEqualTo(decision.reason());
  }

  @Test
  void aRequestThatIsRepeatedIsCarriedOutOnce() {
    MoveRequest request = request(new WeightMove("alert", 1, "q1", "q3", 180));
    MoveAnswer first = moves.move(request);
    MoveAnswer second = moves.move(request);

    assertThat(second.repeated()).isTrue();
    assertThat(second.rows()).isEqualTo(first.rows());
    assertThat(history.decisions("alert", null, 10)).hasSize(1);
    assertThat(hints).hasValue(1);
  }

  @Test
  void oneStaleVersionRefusesAllMovesAndNothingIsRecorded() {
    moves.move(request(new WeightMove("push", 1, "q1", "q2", 1)));
    MoveRequest stale =
        request(
            new WeightMove("alert", 1, "q1", "q3", 180), new WeightMove("push", 1, "q1", "q3", 5));

    refused(
        ErrorCode.STALE_VERSION,
        stale,
        "the weights of push have changed: their version is 2, not 1");
    assertThat(world.weights.find("alert").orElseThrow().version()).isEqualTo(1);
    assertThat(history.decisions(null, null, 10)).hasSize(1);

    MoveAnswer again =
        moves.move(
            new MoveRequest(
                stale.id(),
                "q1",
                BalancingKind.SHED,
                "measured",
                List.of(new WeightMove("alert", 1, "q1", "q3", 180)),
                "again",
                INPUTS));
    assertThat(again.repeated()).as("a refused request was not carried out").isFalse();
  }

  @Test
  void movingMoreThanTheSourceHasIsRefused() {
    refused(
        ErrorCode.CONFLICT,
        request(
            new WeightMove("alert", 1, "q1", "q3", 300),
            new WeightMove("alert", 1, "q1", "q2", 201)),
        "q1 has 200 points of alert, not 201");
  }

  @Test
  void receiversThatAreUnknownSilentDrainingOrInMaintenanceGetNothing() {
    world.reports("q4", "q5", "q6");
    world.silence("q4", Duration.ofSeconds(11));
    world.queueNodes.command("q5", NodeStatus.DRAINING, null, null);
    world.queueNodes.command("q6", NodeStatus.MAINTENANCE, Duration.ofMinutes(5), null);

    for (String receiver : List.of("q4", "q5", "q6", "q7")) {
      refused(
          ErrorCode.CONFLICT,
          request(new WeightMove("alert", 1, "q1", receiver, 1)),
          receiver + " takes no weight");
    }
    assertThat(history.decisions(null, null, 10)).isEmpty();
  }

  @Test
  void aQueueNeverGoesBelowItsMinimumOfSegmentsWhileEnoughNodesTakeWeight() {
    WeightMove whole = new WeightMove("alert", 1, "q1", "q2", 500);
    refused(ErrorCode.CONFLICT, request(whole), "would be left with 1 segments");
    moves.move(request(new WeightMove("push", 1, "q1", "q3", 600)));

    world.queueNodes.command("q1", NodeStatus.DRAINING, null, null);
    world.queueNodes.command("q3", NodeStatus.DRAINING, null, null);
    assertThat(moves.move(request(whole)).rows().get(0).points()).isEqualTo(Map.of("q2", 1000));
  }

  @Test
  void aNodeMovesOnlyItsOwnWeight() {
    refused(
        ErrorCode.INVALID_REQUEST,
        request(new WeightMove("alert", 1, "q2", "q1", 1)),
        "q1 cannot move that of q2");
    refused(
        ErrorCode.INVALID_REQUEST,
        request(new WeightMove("alert", 1, "q1", "q2", 0)),
        "at least 1 point");
    refused(
        ErrorCode.INVALID_REQUEST,
        new MoveRequest(
            UUID.randomUUID(),
            "q1",
            BalancingKind.HEAL,
            "measured",
            List.of(new WeightMove("alert", 1, "q1", "q2", 1)),
            "mine",
            INPUTS),
        "kind must be one of");
  }

  @Test
  void aShortageIsRecordedAndMovesNothing() {
    MoveRequest shortage =
        new MoveRequest(
            UUID.randomUUID(),
            "q1",
            BalancingKind.SHORTAGE,
            "measured",
            List.of(),
            "no node has capacity",
            null);
    assertThat(moves.move(shortage)).isEqualTo(new MoveAnswer(List.of(), false));
    assertThat(moves.move(shortage)).isEqualTo(new MoveAnswer(List.of(), true));

    assertThat(history.decisions(null, "q1", 10))
        .singleElement()
        .satisfies(decision -> assertThat(decision.reason()).isEqualTo("no node has capacity"));
    assertThat(hints).hasValue(0);
  }

  @Test
  void aNodeThatIsNotRegisteredDecidesNothing() {
    MoveRequest strange =
        new MoveRequest(
            UUID.randomUUID(),
            "q9",
            BalancingKind.SHORTAGE,
            "measured",
            List.of(),
            "who am I",
            INPUTS);
    refused(ErrorCode.UNKNOWN_NODE, strange, "no queue node 'q9' is registered");
  }

  private void refused(ErrorCode code, MoveRequest request, String words) {
    assertThatThrownBy(() -> moves.move(request))
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }

  private static MoveRequest request(WeightMove... moves) {
    return new MoveRequest(
        UUID.randomUUID(),
        "q1",
        BalancingKind.SHED,
        "measured",
        List.of(moves),
        "q1 at 0.81 > 0.70 for 2 ticks",
        INPUTS);
  }
}
