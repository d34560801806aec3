package io.millrace.api.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.SessionNodes.NodePlace;
import io.millrace.api.session.SessionWorkerToken;
import io.millrace.api.task.RunStep;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which tokens the servers get that a session worker calls. */
class SessionNodesTest {
  private static final URI CENTRAL = URI.create("http://central:1");
  private static final URI NODE = URI.create("http://q1:2");

  private final AtomicLong now = new AtomicLong();
  private final Servers servers = new Servers();
  private final CentralClient central =
      new CentralClient(
          new ApiClient(servers, new Endpoints(List.of(CENTRAL)), () -> "of-a-person"));
  private final SessionNodes outside = SessionNodes.of(central, "orders", servers, now::get);

  /** A central manager that issues t1, t2, …, and a queue node. */
  private static final class Servers implements HttpTransport {
    private final List<String> seen = new ArrayList<>();
    private int issued;
    private boolean away;

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      String secret = call.headers().getOrDefault(RunStep.SECRET_HEADER, "");
      seen.add(
          "%s %s %s %s"
              .formatted(
                  call.uri().getHost(),
                  call.uri().getPath(),
                  call.headers().get("Authorization"),
                  secret)
              .strip());
      if (away) {
        throw new IOException("no answer");
      }
      String path = call.uri().getPath();
      if (path.endsWith("/token")) {
        issued++;
        return answer(new SessionWorkerToken("t" + issued, Duration.ofHours(1)));
      }
      return answer(
          List.of(
              Map.of(
                  "name",
                  "q1",
                  "address",
                  NODE,
                  "live",
                  true,
                  "segments",
                  List.of(Map.of("queue", "orders")))));
    }

    private static HttpAnswer answer(Object body) {
      return new HttpAnswer(200, Map.of(), Json.writeBytes(body));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("nothing is streamed");
    }

    List<String> of(String host) {
      return seen.stream().filter(one -> one.startsWith(host)).toList();
    }
  }

  private void call(SessionNodes nodes) {
    nodes.at(NODE).get("/v1/queues");
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void queueNodesGetATokenThatACentralManagerIssuedAndNeverThatOfThePerson() {
    assertThat(outside.current()).containsExactly(new NodePlace("q1", NODE));
    call(outside);

    assertThat(servers.of("q1")).containsExactly("q1 /v1/queues Bearer t1");
    assertThat(servers.of("central"))
        .contains("central /v1/queues/orders/session-workers/token Bearer of-a-person");
  }

  @Test
  void theTokenIsRenewedAfterHalfOfItsTimeByThoseWhoLookForNodesAndByNoCallToANode() {
    outside.current();
    pass(Duration.ofMinutes(29));
    outside.current();
    call(outside);
    pass(Duration.ofMinutes(2));
    call(outside);
    outside.current();
    call(outside);

    assertThat(servers.of("q1"))
        .extracting(one -> one.substring(one.length() - 2))
        .containsExactly("t1", "t1", "t2");
  }

  @Test
  void thePresentTokenRemainsWhileNoCentralManagerAnswers() {
    outside.current();
    pass(Duration.ofMinutes(31));
    servers.away = true;
    assertThatThrownBy(outside::current).isInstanceOf(MillraceException.class);
    servers.away = false;
    call(outside);
    assertThat(servers.of("q1")).containsExactly("q1 /v1/queues Bearer t1");
    outside.current();
    assertThat(servers.issued).isEqualTo(2);
  }

  @Test
  void aTokenThatANodeRefusesIsRenewedAtTheNextLook() {
    outside.current();
    outside.refused();
    outside.current();
    call(outside);
    assertThat(servers.of("q1")).containsExactly("q1 /v1/queues Bearer t2");
  }

  private SessionNodes job(String secret) {
    Map<String, String> variables = new HashMap<>();
    variables.put("MILLRACE_URL", NODE.toString());
    variables.put("MILLRACE_TOKEN", "t0");
    variables.put("MILLRACE_QUEUE", "orders");
    variables.put("MILLRACE_MANAGERS", CENTRAL.toString());
    if (secret != null) {
      variables.put("MILLRACE_SECRET", secret);
    }
    return SessionNodes.ofJob(variables, servers, now::get);
  }

  @Test
  void aJobRenewsItsTokenWithTheSecretOfItsAttemptWhichNoQueueNodeGets() {
    SessionNodes job = job("s3cret");
    assertThat(job.current()).extracting(NodePlace::address).containsExactly(NODE);
    call(job);
    pass(Duration.ofMinutes(31));
    job.current();

    String token = "central /v1/queues/orders/session-workers/token Bearer ";
    assertThat(servers.seen)
        .containsExactly(token + "t0 s3cret", "q1 /v1/queues Bearer t1", token + "t1 s3cret");
  }

  @Test
  void aJobBeginsWithItsFirstTokenIfNoCentralManagerAnswersAndTriesAgainLater() {
    servers.away = true;
    SessionNodes job = job("s3cret");
    assertThat(job.current()).hasSize(1);
    assertThatThrownBy(job::current).isInstanceOf(MillraceException.class);
    servers.away = false;
    call(job);
    assertThat(servers.of("q1")).containsExactly("q1 /v1/queues Bearer t0");
    job.current();
    assertThat(servers.issued).isEqualTo(1);
  }

  @Test
  void aJobWithoutASecretKeepsItsToken() {
    SessionNodes job = job(null);
    job.current();
    call(job);
    assertThat(servers.seen).containsExactly("q1 /v1/queues Bearer t0");
    assertThat(job.toString()).doesNotContain("t0");
  }
}
