package io.millrace.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.session.SessionView.SessionPage;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionWorkerCommandsTest {
  private static final String QUEUE = "/v1/queues/orders";

  private final FakeCluster cluster =
      new FakeCluster()
          .answering(
              "GET " + QUEUE + "/session-workers",
              List.of(
                  SessionSamples.worker(
                      SessionSamples.FIRST, "packer-1", "q1", SessionWorkerState.AVAILABLE),
                  SessionSamples.worker(
                      SessionSamples.FIRST, "packer-1", "q2", SessionWorkerState.ABSENT),
                  leaving()))
          .answering(
              "GET " + QUEUE + "/sessions",
              new SessionPage(
                  List.of(SessionSamples.open("order-17", SessionSamples.FIRST)), "417/order-17"))
          .when(
              "POST " + QUEUE + "/session-workers/" + SessionSamples.FIRST + "/retirement",
              call -> new HttpAnswer(204, Map.of(), new byte[0]));
  private final CommandRun run = new CommandRun(cluster);

  private static SessionWorkerView leaving() {
    return new SessionWorkerView(
        SessionSamples.SECOND,
        null,
        "q1",
        "orders",
        SessionWorkerState.AVAILABLE,
        null,
        0,
        30_000,
        0.3,
        2,
        0,
        0,
        true);
  }

  @Test
  void theListHasARowForEachNodeThatAWorkerTakesSessionsFrom() {
    assertThat(run.run("session", "worker", "list", "orders")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            ID                                    NAME      NODE  STATE               SESSIONS     CAP  EVENTS  SILENT  MISSED  OLDEST  JOB
            4f1c0000-0000-4000-8000-000000000001  packer-1  q1    available                 12  15,000   1,234    4.0s       0   1m03s  17.1
            4f1c0000-0000-4000-8000-000000000001  packer-1  q2    absent                    12  15,000   1,234    4.0s       0   1m03s  17.1
            4f2d0000-0000-4000-8000-000000000002  -         q1    available, leaving         0  30,000       0   300ms       2       -  -
            """);
  }

  @Test
  void aQueueWithoutWorkersSaysWhatThatMeans() {
    cluster.answering("GET " + QUEUE + "/session-workers", List.of());
    assertThat(run.run("session", "worker", "list", "orders")).isZero();
    assertThat(run.messages()).contains("the queue's sessions wait until one registers");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4f1c", "4F1C", "packer-1", "4f1c0000-0000-4000-8000-000000000001"})
  void aWorkerIsNamedByItsIdTheBeginningOfItOrItsName(String wanted) {
    assertThat(run.run("session", "worker", "show", "orders", wanted)).isZero();
    assertThat(run.output())
        .contains("session worker 4f1c0000-0000-4000-8000-000000000001 of orders")
        .contains("  name        packer-1\n")
        .contains("  sessions    24 of at most 30,000\n")
        .contains("\nQueue nodes\n")
        .contains("\nSome of its sessions\n")
        .contains("order-17");
    assertThat(cluster.last().uri().getQuery())
        .isEqualTo("limit=20&worker=" + SessionSamples.FIRST);
  }

  @Test
  void aWorkerNamedLikeTheBeginningOfAnothersIdIsNotTakenForIt() {
    SessionWorkerView other = leaving();
    cluster.answering(
        "GET " + QUEUE + "/session-workers",
        List.of(
            other,
            new SessionWorkerView(
                SessionSamples.FIRST,
                "4f2d0000",
                "q1",
                "orders",
                SessionWorkerState.AVAILABLE,
                null,
                0,
                30_000,
                0.3,
                2,
                0,
                0,
                false)));
    assertThat(run.run("session", "worker", "retire", "orders", "4f2d0000")).isNotZero();
    assertThat(run.messages())
        .contains(SessionSamples.FIRST.toString())
        .contains(SessionSamples.SECOND.toString());
  }

  @Test
  void jsonOfAWorkerHasItsNodesAndSomeSessions() {
    assertThat(run.run("session", "worker", "show", "orders", "packer-1", "--json")).isZero();
    JsonNode printed = Json.read(run.output(), JsonNode.class);
    assertThat(printed.get("worker")).hasSize(2);
    assertThat(printed.get("sessions")).hasSize(1);
  }

  @Test
  void abbreviationsOfSeveralWorkersAreRefusedWithTheirIds() {
    assertThat(run.run("session", "worker", "retire", "orders", "4f")).isEqualTo(2);
    assertThat(run.messages())
        .contains("'4f' stands for 2 session workers of queue orders")
        .contains(SessionSamples.FIRST + ", " + SessionSamples.SECOND);
    assertThat(cluster.asked()).noneMatch(call -> call.startsWith("POST"));
  }

  @Test
  void anUnknownWorkerIsNotFoundAndTheListIsNamed() {
    assertThat(run.run("session", "list", "orders", "--worker", "nobody")).isEqualTo(3);
    assertThat(run.messages())
        .contains("queue orders has no session worker 'nobody'")
        .contains("millrace session worker list orders");
  }

  @Test
  void theSessionsOfAWorkerThatIsNoLongerListedAreFoundByItsWholeId() {
    String id = "99999999-0000-4000-8000-000000000009";
    cluster.answering(
        "GET " + QUEUE + "/sessions?limit=50&worker=" + id, new SessionPage(List.of(), null));
    assertThat(run.run("session", "list", "orders", "--worker", id)).isZero();
    assertThat(cluster.asked()).hasSize(1);
  }

  @Test
  void aWorkerIsRetiredAtOnceOrAskedToLeave() {
    assertThat(run.run("session", "worker", "retire", "orders", "packer-1")).isZero();
    assertThat(run.output()).endsWith(" of orders retired\n");
    assertThat(body().get("ask").asBoolean()).isFalse();
    assertThat(body().has("reason")).isFalse();

    CommandRun asked = new CommandRun(cluster);
    String[] words = {
      "session", "worker", "retire", "orders", "4f1c", "--ask", "--reason", "new version"
    };
    assertThat(asked.run(words)).isZero();
    assertThat(asked.output()).endsWith(" of orders is asked to give back its sessions\n");
    assertThat(body().get("ask").asBoolean()).isTrue();
    assertThat(body().get("reason").asText()).isEqualTo("new version");
  }

  private JsonNode body() {
    return Json.read(cluster.last().body(), JsonNode.class);
  }
}
