package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.EventMedia;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A batch that cannot be stored is refused with a precise problem, and no part of it is stored. */
class RefusedEventsTest {
  private static final int PER_SEGMENT = 5;

  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @BeforeAll
  static void defineQueues() {
    CLUSTER.define("{kind: queue, name: plain}");
    CLUSTER.define("{kind: queue, name: small, maxEvents: " + 2 * PER_SEGMENT + "}");
  }

  @Test
  void anUnknownQueueIsNotFound() throws IOException {
    assertProblem(send("nowhere", EventMedia.JSON, "1"), ErrorCode.UNKNOWN_QUEUE, "nowhere");
  }

  @Test
  void malformedJsonIsRefusedWithItsPosition() throws IOException {
    assertProblem(send("plain", EventMedia.JSON, "[1, 2,"), ErrorCode.MALFORMED_BODY, "line 1");
    assertThat(stored("plain")).isZero();
  }

  @Test
  void oneMalformedLineRefusesTheWholeBatch() throws IOException {
    assertProblem(
        send("plain", EventMedia.LINES, "{\"n\":1}\n{\"n\":2}\n{\"n\":\n{\"n\":4}\n"),
        ErrorCode.MALFORMED_BODY,
        "line 3");
    assertThat(stored("plain")).isZero();
  }

  @Test
  void anEmptyBatchIsRefused() throws IOException {
    assertProblem(send("plain", EventMedia.JSON, "[]"), ErrorCode.INVALID_REQUEST, "event");
    assertThat(stored("plain")).isZero();
  }

  @Test
  void anUnknownMediaTypeIsRefused() throws IOException {
    assertProblem(
        send("plain", "application/xml", "<event/>"),
        ErrorCode.UNSUPPORTED_MEDIA_TYPE,
        EventMedia.LINES);
    assertThat(stored("plain")).isZero();
  }

  @Test
  void anOversizedBodyIsRefused() throws IOException {
    String body = "\"" + "x".repeat(9 << 20) + "\"";
    assertProblem(send("plain", EventMedia.JSON, body), ErrorCode.BODY_TOO_LARGE, "smaller");
    assertThat(stored("plain")).isZero();
  }

  @Test
  void aFullQueueStoresNoPartOfABatchThatDoesNotFit() throws IOException {
    String eleven = "[1,2,3,4,5,6,7,8,9,10,11]";
    assertProblem(send("small", EventMedia.JSON, eleven), ErrorCode.INVALID_REQUEST, "never fit");
    assertThat(send("small", EventMedia.JSON, "1").status()).isEqualTo(200);
    assertThat(send("small", EventMedia.JSON, "1").status()).isEqualTo(200);
    assertProblem(send("small", EventMedia.JSON, "[1,2,3,4,5,6]"), ErrorCode.QUEUE_FULL, "small");
    assertThat(stored("small")).isEqualTo(2);

    int taken = 2;
    HttpAnswer last = send("small", EventMedia.JSON, "1");
    while (last.status() == 200) {
      taken++;
      last = send("small", EventMedia.JSON, "1");
    }
    assertProblem(last, ErrorCode.QUEUE_FULL, "small");
    assertThat(last.headers()).containsKey("retry-after");
    // Each segment accepts its share by weight, in whole events.
    int shares =
        CLUSTER.view("small").weights().values().stream()
            .mapToInt(points -> 2 * PER_SEGMENT * points / QueueWeights.TOTAL)
            .sum();
    assertThat(taken).isEqualTo(shares);
    assertThat(stored("small")).isEqualTo(taken);
  }

  private static void assertProblem(HttpAnswer answer, ErrorCode code, String words) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(code.status());
    assertThat(answer.headers().get("content-type")).startsWith(Problem.MEDIA_TYPE);
    Problem problem = Json.read(answer.body(), Problem.class);
    assertThat(problem.code()).isEqualTo(code.name());
    assertThat(problem.status()).isEqualTo(code.status());
    assertThat(problem.detail()).contains(words);
  }

  private static HttpAnswer send(String queue, String media, String body) throws IOException {
    HttpCall call =
        HttpCall.post(
                CLUSTER.balancerAddress().resolve("/v1/queues/" + queue + "/events"),
                media,
                body.getBytes(StandardCharsets.UTF_8))
            .with("Authorization", "Bearer " + TokenFiles.read(CLUSTER.tokenFile(Role.PRODUCER)));
    return new JdkTransport().send(call);
  }

  private static long stored(String queue) {
    return Stream.of("q1", "q2")
        .map(node -> CLUSTER.queueNode(node, Role.VIEWER))
        .map(node -> node.get("/v1/segments/" + queue).as(SegmentFigures.class))
        .mapToLong(SegmentFigures::inserted)
        .sum();
  }
}
