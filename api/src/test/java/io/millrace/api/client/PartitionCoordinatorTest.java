package io.millrace.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.partition.MineRequest.MineAnswer;
import io.millrace.api.partition.NextRequest.NextAnswer;
import io.millrace.api.partition.PartitionGroup.Membership;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartitionCoordinatorTest {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final List<String> ALL = List.of("a", "b", "c");

  private final Group group = new Group();
  private final PartitionCoordinator coordinator =
      new PartitionCoordinator(
          new CentralClient(
              new ApiClient(group, new Endpoints(List.of(URI.create("http://c1"))), () -> "t")),
          "alarm",
          "host-1",
          TTL);

  @AfterEach
  void close() {
    coordinator.close();
  }

  @Test
  void joinsAndAsksForItsOwn() {
    coordinator.start();
    assertThat(coordinator.mine(ALL)).containsExactly("b");
    assertThat(coordinator.members()).containsExactly("host-1");
    assertThat(group.calls)
        .containsExactly(
            "POST /v1/partitions/alarm/members {\"name\":\"host-1\",\"ttl\":\"3s\"}",
            "POST /v1/partitions/alarm/mine"
                + " {\"member\":\"host-1\",\"term\":7,\"resources\":[\"a\",\"b\",\"c\"]}");
  }

  @Test
  void remainsAMemberByHeartbeatsOfAThreadThatEndsWithIt() throws InterruptedException {
    coordinator.start();
    assertThat(group.renewals.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(threads()).hasSize(1);
    Thread heart = threads().get(0);
    coordinator.close();
    // The scheduler has ended when its thread has run its last task, which is a little earlier.
    heart.join(20_000);
    assertThat(threads()).isEmpty();
    assertThat(group.calls.get(group.calls.size() - 1))
        .isEqualTo("DELETE /v1/partitions/alarm/members/host-1 ");
  }

  @Test
  void aHeartbeatWithoutAnAnswerIsNotTheEndAndTheNextOneRenews() {
    coordinator.beat();
    group.down = true;
    assertThatThrownBy(coordinator::beat).hasMessageContaining("no server");
    group.down = false;
    coordinator.beat();
    assertThat(group.calls.get(group.calls.size() - 1)).contains("\"term\":7");
  }

  @Test
  void aLostMembershipIsRestartedBeforeTheNextPoll() {
    coordinator.beat();
    group.term = 12;
    group.refuse(ErrorCode.UNKNOWN_GROUP);
    assertThat(coordinator.mine(ALL)).containsExactly("b");
    assertThat(group.calls.get(2)).doesNotContain("term").contains("members");
    assertThat(group.calls.get(3)).contains("\"term\":12");
  }

  @Test
  void aMemberWhoseNameWasTakenPollsNothingAndEndsNoMembership() {
    coordinator.beat();
    group.refuse(ErrorCode.CONFLICT);
    for (int time = 0; time < 2; time++) {
      assertThatThrownBy(() -> coordinator.mine(ALL))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    }
    int calls = group.calls.size();
    coordinator.close();
    assertThat(group.calls).hasSize(calls);
  }

  @Test
  void withoutACentralManagerNothingIsAnybodysOwn() {
    group.down = true;
    assertThatThrownBy(() -> coordinator.mine(ALL))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }

  @Test
  void nobodyUsesOneThatHasLeft() {
    coordinator.beat();
    coordinator.close();
    assertThatThrownBy(() -> coordinator.mine(ALL)).hasMessageContaining("has left");
  }

  @Test
  void beginsACycleAndReportsEachBatchWithTheRequestForTheNext() {
    NextAnswer first = coordinator.begin(ALL, Duration.ofMinutes(1), 2);
    assertThat(first.resources()).containsExactly("a", "b");
    coordinator.next(first, 2);
    coordinator.next(first, 0);
    assertThat(group.calls.subList(1, 4))
        .containsExactly(
            "POST /v1/partitions/alarm/next {\"member\":\"host-1\",\"term\":7,"
                + "\"resources\":[\"a\",\"b\",\"c\"],\"interval\":\"1m\",\"cycle\":0,\"done\":[],"
                + "\"most\":2}",
            "POST /v1/partitions/alarm/next {\"member\":\"host-1\",\"term\":7,\"cycle\":5,"
                + "\"done\":[\"a\",\"b\"],\"most\":2}",
            "POST /v1/partitions/alarm/next {\"member\":\"host-1\",\"term\":7,\"cycle\":5,"
                + "\"done\":[\"a\",\"b\"],\"most\":0}");
  }

  @Test
  void aMemberThatWasLostInItsCycleJoinsAgainAndAsksInItsNewLife() {
    NextAnswer first = coordinator.begin(ALL, Duration.ofMinutes(1), 2);
    group.term = 12;
    group.refuse(ErrorCode.UNKNOWN_GROUP);
    coordinator.next(first, 2);
    assertThat(group.calls.get(group.calls.size() - 2)).contains("members").doesNotContain("term");
    assertThat(group.calls.get(group.calls.size() - 1)).contains("\"term\":12");
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("partition-alarm"))
        .toList();
  }

  /** A central manager that knows one group; remembers calls without what is in their headers. */
  private static final class Group implements HttpTransport {
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch renewals = new CountDownLatch(2);
    private volatile boolean down;
    private volatile long term = 7;
    private volatile ErrorCode refusal;

    void refuse(ErrorCode code) {
      refusal = code;
    }

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      if (down) {
        throw new NothingSentException("no server", null);
      }
      String body = new String(call.body(), StandardCharsets.UTF_8);
      calls.add(call.method() + " " + call.uri().getPath() + " " + body);
      if (refusal != null && call.method().equals("POST")) {
        ErrorCode code = refusal;
        refusal = null;
        return new HttpAnswer(
            code.status(),
            Map.of("content-type", Problem.MEDIA_TYPE),
            Json.writeBytes(Problem.of(code, "refused")));
      }
      if (call.uri().getPath().endsWith("/mine")) {
        return answer(new MineAnswer(3, List.of("b"), null, false));
      }
      if (call.uri().getPath().endsWith("/next")) {
        return answer(
            new NextAnswer(5, List.of("a", "b"), 0, false, false, Duration.ofSeconds(30)));
      }
      if (body.contains("term")) {
        renewals.countDown();
      }
      return answer(new Membership("alarm", "host-1", term, 3, List.of("host-1")));
    }

    private static HttpAnswer answer(Object value) {
      return new HttpAnswer(
          200, Map.of("content-type", "application/json"), Json.writeBytes(value));
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      return new ByteArrayInputStream(send(call).orThrow().body());
    }
  }
}
