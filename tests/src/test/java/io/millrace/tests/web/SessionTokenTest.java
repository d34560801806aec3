package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.EventMedia;
import io.millrace.api.job.AttemptId;
import io.millrace.api.session.SessionView.SessionAction;
import io.millrace.api.session.SessionView.SessionCommand;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Session workers get tokens of their own, so that no queue node gets that of a person. */
class SessionTokenTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String QUEUE = "token-orders";

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final JdkTransport transport = new JdkTransport();

  @BeforeEach
  void aQueueOfSessions() {
    CLUSTER.define("{kind: queue, name: %s, sessions: {key: /order}}".formatted(QUEUE));
  }

  private ApiClient api(URI server, String token) {
    return new ApiClient(transport, new Endpoints(List.of(server)), () -> token);
  }

  private String issue(String token, String queue, String secret) {
    return new CentralClient(api(CLUSTER.address(), token))
        .sessions()
        .workerToken(queue, secret)
        .token();
  }

  private String register(String token, String queue, String job) {
    URI node = CLUSTER.servers().get("queue-node").address();
    URI path = URI.create("/v1/queues/" + queue + "/session-workers/" + UUID.randomUUID());
    WorkerRegistration registration = new WorkerRegistration(UUID.randomUUID(), 1, "w", job);
    return outcome(() -> api(node, token).send(HttpCall.put(path, registration)));
  }

  private static String outcome(Runnable request) {
    try {
      request.run();
      return "accepted";
    } catch (MillraceException e) {
      return e.code().name();
    }
  }

  @Test
  void theTokenIsGoodForTheSessionsOfItsQueueAndNothingElse() {
    CLUSTER.define("{kind: queue, name: token-parcels, sessions: {key: /parcel}}");
    String token = issue(CLUSTER.token(Principal.of(Role.OPERATOR, "ann")), QUEUE, null);
    URI node = CLUSTER.servers().get("queue-node").address();

    assertThat(register(token, QUEUE, null)).isEqualTo("accepted");
    assertThat(register(token, "token-parcels", null)).isEqualTo("FORBIDDEN");
    assertThat(register(token, QUEUE, "1.1")).isEqualTo("FORBIDDEN");
    for (String path : List.of("/v1/queues/" + QUEUE + "/sessions", "/v1/overview", "/v1/jobs")) {
      assertThat(outcome(() -> api(CLUSTER.address(), token).get(path)))
          .as(path)
          .isEqualTo("FORBIDDEN");
    }
    assertThat(outcome(() -> api(node, token).get("/v1/queues/" + QUEUE + "/sessions")))
        .isEqualTo("FORBIDDEN");
    assertThat(outcome(() -> issue(token, QUEUE, null))).as("by itself").isEqualTo("FORBIDDEN");
  }

  @Test
  void onlyThoseGetOneWhoMayTakeEvents() {
    for (Role role : List.of(Role.PRODUCER, Role.VIEWER)) {
      String token = CLUSTER.token(Principal.of(role, "ann"));
      assertThat(outcome(() -> issue(token, QUEUE, null))).isEqualTo("FORBIDDEN");
    }
    String operator = CLUSTER.token(Principal.of(Role.OPERATOR, "ann"));
    CLUSTER.define("{kind: queue, name: token-plain}");
    assertThat(outcome(() -> issue(operator, "token-plain", null))).isEqualTo("UNKNOWN_SESSION");
    assertThat(outcome(() -> issue(operator, "token-none", null))).isEqualTo("UNKNOWN_QUEUE");
  }

  @Test
  void aJobsTokenIsRenewedOnlyWithTheSecretOfItsCurrentAttempt() throws IOException {
    Path given = CLUSTER.folder("session-token").resolve("given");
    String script =
        "echo $MILLRACE_ATTEMPT $MILLRACE_TOKEN $MILLRACE_SECRET $MILLRACE_MANAGERS > $1.part;"
            + " mv $1.part $1; until [ -e $1.end ]; do sleep 0.1; done";
    CLUSTER.define(
        "{kind: queue, name: token-jobs, sessions: {key: /order}, worker: {command: [sh, -c, '%s', sh, %s], input: pull}}"
            .formatted(script, given));
    byte[] event = "{\"order\":\"1\"}".getBytes(StandardCharsets.UTF_8);
    CLUSTER.producer().send("token-jobs", "token", EventMedia.JSON, event);
    Awaitility.await("its worker").atMost(SOON).until(() -> Files.exists(given));
    String[] words = Files.readString(given).strip().split(" ");
    AttemptId attempt = AttemptId.parse(words[0]);
    String token = words[1];
    String secret = words[2];

    assertThat(Arrays.stream(words[3].split(",")).map(URI::create)).contains(CLUSTER.address());
    String next = issue(token, "token-jobs", secret);
    assertThat(register(next, "token-jobs", words[0])).isEqualTo("accepted");
    assertThat(register(next, "token-jobs", "1.1")).isEqualTo("FORBIDDEN");
    assertThat(outcome(() -> issue(next, "token-jobs", null))).isEqualTo("FORBIDDEN");
    assertThat(outcome(() -> issue(next, "token-jobs", "guessed"))).isEqualTo("FORBIDDEN");
    assertThat(outcome(() -> issue(next, QUEUE, secret))).isEqualTo("FORBIDDEN");
    String other = CLUSTER.token(Principal.worker("token-jobs", new AttemptId(attempt.job(), 99)));
    assertThat(outcome(() -> issue(other, "token-jobs", secret))).isEqualTo("FORBIDDEN");

    CLUSTER
        .central()
        .sessions()
        .actOnSession("token-jobs", SessionCommand.of(SessionAction.DROP, "1", "for the test"));
    Files.writeString(Path.of(given + ".end"), "");
    Awaitility.await("its end")
        .atMost(SOON)
        .until(() -> CLUSTER.central().job(attempt.job()).job().state().ended());
    assertThat(outcome(() -> issue(next, "token-jobs", secret))).isEqualTo("FORBIDDEN");
  }
}
