package io.millrace.loadbalancer.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.QueueClient;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.loadbalancer.SlotNodes;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a producer of a queue of sessions is answered, over real HTTP. */
@Timeout(60)
class SessionIntakeTest {
  private static final String EVENTS = "/v1/queues/orders/events";

  @TempDir Path folder;

  private final SlotNodes nodes = new SlotNodes(Map.of("q1", 500, "q2", 500));
  private final String one = nodes.keyOf("q1", 0);
  private final String two = nodes.keyOf("q2", 0);
  private RunningBalancer balancer;

  @BeforeEach
  void begin() throws Exception {
    balancer = new RunningBalancer(folder, new FakeCluster(nodes, nodes.topology()));
  }

  @AfterEach
  void end() {
    balancer.close();
  }

  @Test
  void allEventsStoredIsAnswered200AndSomeRefused207() throws Exception {
    HttpResponse<String> all = post(EventMedia.JSON, List.of(event(one), event(two)).toString());
    assertThat(all.statusCode()).isEqualTo(200);
    assertThat(all.body()).doesNotContain("refused");

    nodes.refuseKey(two, ErrorCode.DUPLICATE);
    HttpResponse<String> some =
        post(EventMedia.LINES, event(one) + "\n" + event(two) + "\n" + event(one));
    assertThat(some.statusCode()).isEqualTo(207);
    SendAnswer answer = Json.read(some.body(), SendAnswer.class);
    assertThat(answer.accepted()).isEqualTo(2);
    assertThat(answer.refused())
        .extracting(RefusedEvent::index, RefusedEvent::key, RefusedEvent::code)
        .containsExactly(tuple(1, two, ErrorCode.DUPLICATE));
    assertThat(balancer.get("/metrics").body())
        .containsPattern("millrace_balancer_requests_total\\{.*outcome=\"partly\"");
  }

  @Test
  void aFullQueueIsAnswered429WithTheTimeToTryAgain() throws Exception {
    for (ErrorCode code :
        List.of(ErrorCode.SESSIONS_FULL, ErrorCode.QUEUE_FULL, ErrorCode.RATE_LIMITED)) {
      nodes.refuseKey(one, code);
      HttpResponse<String> answer = post(EventMedia.JSON, event(one));
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After")).contains("1");
      assertThat(Json.read(answer.body(), Problem.class).code()).isEqualTo(code.name());
    }
  }

  @Test
  void theClientReturnsWhatIsRefusedAndThrowsWhatIsRefusedWhole() {
    QueueClient client =
        new QueueClient(
            new ApiClient(
                new UrlTransport(), new Endpoints(List.of(balancer.address())), balancer::token));
    nodes.refuseKey(two, ErrorCode.SESSIONS_FULL);
    byte[] mixed = (event(one) + "\n" + event(two)).getBytes(StandardCharsets.UTF_8);
    SendAnswer answer = client.send("orders", "b", EventMedia.LINES, mixed);
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::id).containsExactly("b-1");

    byte[] full = event(two).getBytes(StandardCharsets.UTF_8);
    assertThat(
            catchThrowableOfType(
                    MillraceException.class,
                    () -> client.send("orders", "c", EventMedia.JSON, full))
                .code())
        .isEqualTo(ErrorCode.SESSIONS_FULL);
  }

  private HttpResponse<String> post(String mediaType, String body) throws Exception {
    return balancer.post(EVENTS, mediaType, BodyPublishers.ofString(body));
  }

  private static String event(String key) {
    return "{\"key\":\"" + key + "\"}";
  }
}
