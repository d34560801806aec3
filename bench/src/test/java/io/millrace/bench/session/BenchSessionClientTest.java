package io.millrace.bench.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.bench.session.SessionCalls.DeliveredEvent;
import io.millrace.bench.session.SessionCalls.DeliveredSession;
import io.millrace.bench.session.SessionCalls.PollOutcome;
import io.millrace.bench.session.SessionCalls.PutOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchSessionClientTest {
  private static final SessionNumber NUMBER = SessionNumber.of("3.2");
  private static final SendAnswer STORED = new SendAnswer("q", "b", 2, false, "n1");

  @Test
  void theAnswerOfAPollIsReadAsTheNodeWritesIt() throws Exception {
    ResultAnswer done = new ResultAnswer("k", NUMBER, ResultOutcome.DONE);
    SessionDelivery delivery =
        new SessionDelivery(
            "k2",
            NUMBER,
            1,
            JsonNodeFactory.instance.objectNode().put("n", 9).set("deep", null),
            0,
            List.of(
                new SessionEvent(
                    1,
                    "a",
                    Instant.EPOCH,
                    1,
                    Map.of("n", "7"),
                    Json.read(
                        "{\"x\":{\"i\":5},\"i\":4,\"y\":[1,{\"i\":2}]}",
                        com.fasterxml.jackson.databind.JsonNode.class)),
                new SessionEvent(
                    2, "b", Instant.EPOCH, 1, null, JsonNodeFactory.instance.textNode("text"))));
    PollAnswered answer =
        new PollAnswered(
            5,
            List.of(done),
            List.of(delivery),
            List.of(new RevokedSession("r", NUMBER)),
            false,
            Duration.ofMinutes(1),
            Duration.ofMinutes(2));

    PollOutcome read = BenchSessionClient.read(Json.writeBytes(answer));

    assertThat(read.answers()).containsExactly(done);
    assertThat(read.sessions())
        .containsExactly(
            new DeliveredSession(
                "k2",
                NUMBER,
                1,
                List.of(new DeliveredEvent(1, "a", 4), new DeliveredEvent(2, "b", 0))));
    assertThat(read.revoked()).containsExactly(new RevokedSession("r", NUMBER));
  }

  @Test
  void aBatchOfWhichEventsWereRefusedSaysWhichAndWhenToSendThemAgain() {
    RefusedEvent refused = new RefusedEvent(1, "x", "k", ErrorCode.SESSIONS_FULL, "full");
    SendAnswer answer = new SendAnswer("q", "b", 1, false, "n1", List.of(refused));

    PutOutcome partly = outcome(207, answer, Map.of("retry-after", "3"));
    assertThat(partly.refused()).containsExactly(refused);
    assertThat(partly.retryAfter()).isEqualTo(Duration.ofSeconds(3));
    assertThat(partly.wholly()).isNull();
    assertThat(outcome(207, answer, Map.of()).retryAfter()).isEqualTo(Duration.ofSeconds(1));
    assertThat(outcome(200, STORED, Map.of()).retryAfter()).isZero();
  }

  @Test
  void aBatchThatWasRefusedAsAWholeSaysWhy() {
    PutOutcome refused =
        outcome(
            429,
            Problem.of(ErrorCode.SESSIONS_FULL, "full"),
            Map.of("retry-after", "1", "content-type", Problem.MEDIA_TYPE));
    assertThat(refused.wholly()).isEqualTo(ErrorCode.SESSIONS_FULL);
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void duplicatesCountAsReportedIfTheyAreRefusedOrCalledRepeated() {
    RefusedEvent completed = new RefusedEvent(0, "x", "k", ErrorCode.DUPLICATE, "completed");
    assertThat(reported(new PutOutcome(0, false, List.of(completed), null, Duration.ZERO)))
        .isEqualTo(1);
    assertThat(reported(new PutOutcome(3, true, List.of(), null, Duration.ZERO))).isEqualTo(3);
    assertThat(reported(new PutOutcome(2, true, List.of(completed), null, Duration.ZERO)))
        .isEqualTo(3);
    assertThat(reported(new PutOutcome(0, false, List.of(), ErrorCode.DUPLICATE, Duration.ZERO)))
        .isEqualTo(3);
    assertThat(reported(new PutOutcome(3, false, List.of(), null, Duration.ZERO))).isZero();
    assertThat(reported(null)).isZero();
  }

  private static long reported(PutOutcome outcome) {
    return SessionProducer.reported(outcome, 3);
  }

  private static PutOutcome outcome(int status, Object body, Map<String, String> headers) {
    return BenchSessionClient.outcome(new HttpAnswer(status, headers, Json.writeBytes(body)));
  }
}
