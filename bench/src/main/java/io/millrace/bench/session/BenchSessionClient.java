package io.millrace.bench.session;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Calls of a benchmark for one queue of sessions. Answers to polls are read as a stream of tokens,
 * because the load generator shares the processors with the node. Thread-safe.
 */
final class BenchSessionClient implements SessionCalls {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration USUAL_RETRY = Duration.ofSeconds(1);
  private static final int MULTI_STATUS = 207;

  private final String queue;
  private final Supplier<URI> node;
  private final String token;
  private final UrlTransport transport = new UrlTransport();

  /**
   * A client of a node that may be restarted.
   *
   * @param node its present address
   */
  BenchSessionClient(String queue, Supplier<URI> node, String token) {
    this.queue = queue;
    this.node = node;
    this.token = token;
  }

  @Override
  public PutOutcome put(String batch, String mediaType, byte[] lines) throws IOException {
    HttpAnswer answer =
        transport.send(
            call("POST", "events", mediaType, lines).with(EventMedia.BATCH_HEADER, batch));
    return outcome(answer);
  }

  static PutOutcome outcome(HttpAnswer answer) {
    Duration retryAfter = retryAfter(answer);
    if (answer.headers().getOrDefault("content-type", "").startsWith(Problem.MEDIA_TYPE)) {
      return new PutOutcome(
          0,
          false,
          List.of(),
          Json.read(answer.body(), Problem.class).toException().code(),
          retryAfter);
    }
    if (!answer.ok() && answer.status() >= 500) {
      return new PutOutcome(0, false, List.of(), ErrorCode.UNAVAILABLE, retryAfter);
    }
    SendAnswer sent = Json.read(answer.body(), SendAnswer.class);
    return new PutOutcome(sent.accepted(), sent.repeated(), sent.refused(), null, retryAfter);
  }

  private static Duration retryAfter(HttpAnswer answer) {
    String seconds = answer.headers().get("retry-after");
    if (seconds == null) {
      return answer.ok() && answer.status() != MULTI_STATUS ? Duration.ZERO : USUAL_RETRY;
    }
    return Duration.ofSeconds(Long.parseLong(seconds.strip()));
  }

  @Override
  public void register(UUID worker, UUID incarnation, Integer cap, String name) throws IOException {
    byte[] body = Json.writeBytes(new WorkerRegistration(incarnation, cap, name, null));
    transport.send(call("PUT", "session-workers/" + worker, EventMedia.JSON, body)).orThrow();
  }

  @Override
  public PollOutcome poll(UUID worker, SessionPoll poll) throws IOException {
    byte[] body = Json.writeBytes(poll);
    return read(
        transport
            .send(call("POST", "session-workers/" + worker + "/polls", EventMedia.JSON, body))
            .orThrow()
            .body());
  }

  private HttpCall call(String method, String what, String mediaType, byte[] body) {
    URI uri = node.get().resolve(ApiClient.path("/v1/queues/%s/", queue) + what);
    return new HttpCall(
        method,
        uri,
        java.util.Map.of("Content-Type", mediaType, "Authorization", "Bearer " + token),
        body,
        TIMEOUT);
  }

  static PollOutcome read(byte[] body) throws IOException {
    List<ResultAnswer> answers = new ArrayList<>();
    List<DeliveredSession> sessions = new ArrayList<>();
    List<RevokedSession> revoked = new ArrayList<>();
    try (JsonParser parser = Json.mapper().createParser(body)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "answers" -> {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
              answers.add(answer(parser));
            }
          }
          case "sessions" -> {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
              sessions.add(session(parser));
            }
          }
          case "revoked" -> {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
              ResultAnswer one = answer(parser);
              revoked.add(new RevokedSession(one.key(), one.number()));
            }
          }
          default -> parser.skipChildren();
        }
      }
    }
    return new PollOutcome(answers, sessions, revoked);
  }

  private static ResultAnswer answer(JsonParser parser) throws IOException {
    String key = null;
    SessionNumber number = null;
    ResultOutcome outcome = null;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "key" -> key = parser.getText();
        case "number" -> number = SessionNumber.of(parser.getText());
        case "outcome" -> outcome = ResultOutcome.valueOf(parser.getText());
        default -> parser.skipChildren();
      }
    }
    return new ResultAnswer(key, number, outcome);
  }

  private static DeliveredSession session(JsonParser parser) throws IOException {
    String key = null;
    SessionNumber number = null;
    long from = 1;
    List<DeliveredEvent> events = new ArrayList<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "key" -> key = parser.getText();
        case "number" -> number = SessionNumber.of(parser.getText());
        case "from" -> from = parser.getLongValue();
        case "events" -> {
          while (parser.nextToken() == JsonToken.START_OBJECT) {
            events.add(event(parser));
          }
        }
        default -> parser.skipChildren();
      }
    }
    return new DeliveredSession(key, number, from, events);
  }

  private static DeliveredEvent event(JsonParser parser) throws IOException {
    long n = 0;
    String id = null;
    long place = 0;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      if (field.equals("n")) {
        n = parser.getLongValue();
      } else if (field.equals("id")) {
        id = parser.getText();
      } else if (field.equals("data") && value == JsonToken.START_OBJECT) {
        place = place(parser);
      } else {
        parser.skipChildren();
      }
    }
    return new DeliveredEvent(n, id, place);
  }

  private static long place(JsonParser parser) throws IOException {
    long place = 0;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String field = parser.currentName();
      JsonToken value = parser.nextToken();
      if (field.equals(GeneratedSessions.PLACE) && value == JsonToken.VALUE_NUMBER_INT) {
        place = parser.getLongValue();
      } else {
        parser.skipChildren();
      }
    }
    return place;
  }
}
