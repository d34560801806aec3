package io.millrace.queuenode.session;

import static io.millrace.queuenode.session.SessionNode.QUEUE;
import static io.millrace.queuenode.session.SessionNode.envelope;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.store.Change;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The giver's part of a move: seal, then row, and what follows from each answer. */
class SlotSealsTest {
  @TempDir Path folder;
  private final Rows rows = new Rows();
  private SessionNode node;
  private SlotSeals seals;

  /** A central manager that answers moves as configured. */
  private static final class Rows implements HttpTransport {
    private final List<MoveRequest> asked = new ArrayList<>();
    private ErrorCode refusal;
    private boolean silent;

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      asked.add(Json.read(call.body(), MoveRequest.class));
      if (silent) {
        throw new SocketTimeoutException("no answer");
      }
      if (refusal != null) {
        return new HttpAnswer(
            refusal.status(),
            Map.of("content-type", Problem.MEDIA_TYPE),
            Json.writeBytes(Problem.of(refusal, "no")));
      }
      return new HttpAnswer(200, Map.of(), Json.writeBytes(new MoveAnswer(List.of(), false)));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("nothing is streamed");
    }
  }

  @BeforeEach
  void start() {
    node = new SessionNode(folder, SessionDefinition.of("/jobId"));
    CentralClient central =
        new CentralClient(
            new ApiClient(
                rows, new Endpoints(List.of(URI.create("http://127.0.0.1:9"))), () -> "t"));
    seals = new SlotSeals("q1", node.sessions, central);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private List<Integer> sealed() {
    return node.sessions.commits().always(Change.of(QUEUE, s -> s.slots(QUEUE))).stream()
        .filter(HeldSlot::sealed)
        .map(HeldSlot::slot)
        .toList();
  }

  private WeightMove move(int points) {
    return new WeightMove(QUEUE, 1, "q1", "q2", points);
  }

  @Test
  void theHighestSlotsAreSealedBeforeTheRowIsAskedFor() {
    List<WeightMove> sealed = seals.seal(List.of(move(3)));
    assertThat(sealed)
        .containsExactly(new WeightMove(QUEUE, 1, "q1", "q2", 3, List.of(997, 998, 999)));
    assertThat(sealed()).containsExactly(997, 998, 999);
    assertThat(rows.asked).isEmpty();
    assertThat(seals.seal(List.of(move(2))).get(0).slots())
        .as("others than those under way")
        .containsExactly(995, 996);
  }

  /** Its next owner would assign it at once. */
  @Test
  void aSlotThatIsHeldForTheWorkersOfALostOwnerIsNotMoved() {
    long until = node.clock.nanoTime() + Duration.ofMinutes(3).toNanos();
    SessionCommits commits = node.sessions.commits();
    commits.always(
        Change.lasting(
            QUEUE,
            s -> {
              s.hold(QUEUE, List.of(998), until);
              return true;
            }));
    assertThat(seals.seal(List.of(move(2))).get(0).slots()).containsExactly(997, 999);
  }

  @Test
  void aSealedSlotRefusesItsEvents() {
    String key =
        IntStream.range(0, 100_000)
            .mapToObj(Integer::toString)
            .filter(one -> SessionKey.slot(one) == 999)
            .findFirst()
            .orElseThrow();
    seals.seal(List.of(move(1)));
    assertThat(node.events(envelope(key, "a")).status()).isEqualTo(409);
    seals.refused(List.of(new WeightMove(QUEUE, 1, "q1", "q2", 1, List.of(999))));
    assertThat(node.events(envelope(key, "a")).status()).isEqualTo(200);
  }

  @Test
  void movesOfOtherQueuesAndOfOutdatedRowsSealNothing() {
    WeightMove plain = new WeightMove("plain", 1, "q1", "q2", 5);
    assertThat(seals.seal(List.of(plain))).containsExactly(plain);
    assertThat(seals.seal(List.of(new WeightMove(QUEUE, 9, "q1", "q2", 5)))).isEmpty();
    assertThat(sealed()).isEmpty();
  }

  @Test
  void anOperatorsMoveIsOfSealedSlots() {
    seals.move(QUEUE, new SlotMoveRequest("q2", 2), "ada");
    assertThat(rows.asked)
        .singleElement()
        .satisfies(
            asked -> {
              assertThat(asked.node()).isEqualTo("q1");
              assertThat(asked.reason()).contains("ada");
              assertThat(asked.moves().get(0).slots()).containsExactly(998, 999);
            });
    assertThat(sealed()).containsExactly(998, 999);
    assertThat(seals.holds(QUEUE, 999)).as("the row says the rest").isFalse();
  }

  @Test
  void aDefiniteRefusalLiftsTheSeal() {
    rows.refusal = ErrorCode.STALE_VERSION;
    assertThatThrownBy(() -> seals.move(QUEUE, new SlotMoveRequest("q2", 2), "ada"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_VERSION));
    assertThat(sealed()).isEmpty();
    assertThat(seals.holds(QUEUE, 999)).isFalse();
  }

  @Test
  void withAnUnknownOutcomeTheSlotsStaySealedAndTheSameRequestIsRepeated() {
    rows.silent = true;
    assertThatThrownBy(() -> seals.move(QUEUE, new SlotMoveRequest("q2", 2), "ada"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
    seals.settle();
    assertThat(sealed()).containsExactly(998, 999);
    assertThat(seals.holds(QUEUE, 999)).isTrue();
    assertThatThrownBy(() -> seals.move(QUEUE, new SlotMoveRequest("q2", 2), "ada"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    assertThat(rows.asked).extracting(MoveRequest::id).containsOnly(rows.asked.get(0).id());

    rows.silent = false;
    rows.refusal = ErrorCode.STALE_VERSION;
    seals.settle();
    assertThat(sealed()).isEmpty();
    int before = rows.asked.size();
    seals.settle();
    assertThat(rows.asked).hasSize(before);
  }

  @Test
  void aMoveToTheNodeItselfIsRefused() {
    assertThatThrownBy(() -> seals.move(QUEUE, new SlotMoveRequest("q1", 2), "ada"))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
  }
}
