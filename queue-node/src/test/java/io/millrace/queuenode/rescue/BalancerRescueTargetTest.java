package io.millrace.queuenode.rescue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.store.NewEvent;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BalancerRescueTargetTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final Balancer balancer = new Balancer();
  private final List<String> delays = new ArrayList<>();
  private final BalancerRescueTarget outlet =
      new BalancerRescueTarget(
          new QueueClient(
              new ApiClient(
                  balancer, new Endpoints(List.of(URI.create("http://127.0.0.1:9"))), () -> "t")),
          Duration.ofMinutes(1),
          clock,
          delays::add);

  /** A load balancer that refuses as configured, and then accepts. */
  private static final class Balancer implements HttpTransport {
    final List<HttpCall> calls = new ArrayList<>();
    final Deque<ErrorCode> refusals = new ArrayDeque<>();

    @Override
    public HttpAnswer send(HttpCall call) {
      calls.add(call);
      ErrorCode refusal = refusals.poll();
      return refusal == null
          ? new HttpAnswer(200, Map.of(), Json.writeBytes(new SendAnswer("q", "b", 1, false, "q1")))
          : new HttpAnswer(
              refusal.status(),
              Map.of("content-type", Problem.MEDIA_TYPE),
              Json.writeBytes(Problem.of(refusal, "said so")));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException("an outlet streams nothing");
    }
  }

  @Test
  void eventsAreSentInEnvelopesWithAllTheirFields() throws InterruptedException {
    outlet.send(
        "alert",
        "rescue-1",
        List.of(
            event("a", "{\"n\":1.10}", "{\"colour\":\"red\"}", 7, 90_000),
            event("b", "12345678901234567890", null, 0, 0)));
    HttpCall call = balancer.calls.get(0);
    assertThat(call.uri().getPath()).isEqualTo("/v1/queues/alert/events");
    assertThat(call.headers())
        .containsEntry(EventMedia.BATCH_HEADER, "rescue-1")
        .containsEntry("Content-Type", EventMedia.ENVELOPES);
    List<String> lines = new String(call.body(), StandardCharsets.UTF_8).lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .contains("\"data\":{\"n\":1.10}")
        .contains("\"attributes\":{\"colour\":\"red\"}")
        .contains("\"priority\":7")
        .contains("\"delay\":");
    assertThat(lines.get(1))
        .contains("\"id\":\"b\"")
        .contains("\"data\":12345678901234567890")
        .doesNotContain("delay")
        .doesNotContain("priority");
  }

  @Test
  void aFullClusterIsRetriedUnderTheSameBatchName() throws InterruptedException {
    balancer.refusals.add(ErrorCode.QUEUE_FULL);
    outlet.send("alert", "rescue-1", List.of(event("a", "1", null, 0, 0)));
    assertThat(delays).containsExactly("said so");
    assertThat(balancer.calls)
        .hasSize(2)
        .allMatch(call -> call.headers().get(EventMedia.BATCH_HEADER).equals("rescue-1"));
  }

  @Test
  void anInvalidRequestIsNotRetried() {
    balancer.refusals.add(ErrorCode.UNKNOWN_QUEUE);
    assertThatThrownBy(() -> outlet.send("gone", "r", List.of(event("a", "1", null, 0, 0))))
        .hasMessage("said so");
    assertThat(balancer.calls).hasSize(1);
  }

  @Test
  void retryingEndsAfterTheTimeout() {
    BalancerRescueTarget hasty =
        new BalancerRescueTarget(
            new QueueClient(
                new ApiClient(
                    balancer, new Endpoints(List.of(URI.create("http://127.0.0.1:9"))), () -> "t")),
            Duration.ZERO,
            clock,
            delays::add);
    balancer.refusals.add(ErrorCode.QUEUE_FULL);
    assertThatThrownBy(() -> hasty.send("alert", "r", List.of(event("a", "1", null, 0, 0))))
        .hasMessage("said so");
    assertThat(balancer.calls).hasSize(1);
  }

  private static NewEvent event(
      String id, String data, String attributes, int priority, long delayMillis) {
    return new NewEvent(
        id, data.getBytes(StandardCharsets.UTF_8), attributes, priority, delayMillis);
  }
}
