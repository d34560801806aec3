package io.millrace.bench.queue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.api.Json;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls of a benchmark for one queue, to a queue node or a load balancer. Answers to leases are
 * read as a stream of tokens, because the load generator shares the processors with the node.
 * Thread-safe.
 */
public final class BenchClient {
  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final String queue;
  private final ApiClient api;
  private final String token;
  private final URI node;

  public BenchClient(String queue, URI node, String token) {
    this.queue = queue;
    this.node = node;
    this.token = token;
    this.api = new ApiClient(new UrlTransport(), new Endpoints(List.of(node)), () -> token);
  }

  /** The events of a lease. */
  record Leased(List<String> receipts, List<Numbered> events) {}

  /** Number of an event and the time before it was put. */
  record Numbered(long number, long putNanos) {}

  public void put(String batch, byte[] lines) {
    api.send(call("events", EventMedia.LINES, lines).with(EventMedia.BATCH_HEADER, batch));
  }

  /** The same on a new connection, as by a short-lived producer. */
  void putOnNewConnection(byte[] line) throws IOException {
    HttpCall call =
        HttpCall.post(node.resolve(path("events")), EventMedia.LINES, line)
            .with("Authorization", "Bearer " + token)
            .with("Connection", "close")
            .within(TIMEOUT);
    new UrlTransport().send(call).orThrow();
  }

  Leased lease(int max, Duration timeout) {
    byte[] request = Json.writeBytes(new LeaseRequest(max, LEASE, timeout, "bench"));
    return read(api.send(call("leases", "application/json", request)).body());
  }

  void acknowledge(List<String> receipts) {
    api.send(call("acks", "application/json", Json.writeBytes(new Acknowledgement(receipts))));
  }

  private HttpCall call(String what, String mediaType, byte[] body) {
    return HttpCall.post(URI.create(path(what)), mediaType, body).within(TIMEOUT);
  }

  private String path(String what) {
    return ApiClient.path("/v1/queues/%s/", queue) + what;
  }

  private static Leased read(byte[] body) {
    List<String> receipts = new ArrayList<>();
    List<Numbered> events = new ArrayList<>();
    try (JsonParser parser = Json.mapper().createParser(body)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
          String field = parser.currentName();
          parser.nextToken();
          if (field.equals("receipt")) {
            receipts.add(parser.getText());
          } else if (field.equals("data")) {
            events.add(numbered(parser));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the answer to a lease", e);
    }
    return new Leased(receipts, events);
  }

  private static Numbered numbered(JsonParser parser) throws IOException {
    long number = -1;
    long putNanos = 0;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String field = parser.currentName();
      parser.nextToken();
      if (field.equals("n")) {
        number = parser.getLongValue();
      } else if (field.equals("t")) {
        putNanos = parser.getLongValue();
      }
    }
    return new Numbered(number, putNanos);
  }

  /** Creates events of a fixed size that contain their number and the time before they were put. */
  public static final class Bodies {
    // Numbers of a fixed length, so that every event has the same size.
    private static final long FIRST = 1_000_000_000_000_000_000L;

    private final String rest;

    public Bodies(int payload) {
      int overhead = "{\"n\":,\"t\":,\"p\":\"\"}".length() + 2 * 19;
      this.rest = ",\"p\":\"" + "x".repeat(Math.max(0, payload - overhead)) + "\"}\n";
    }

    public byte[] lines(long first, int count, long nowNanos) {
      StringBuilder lines = new StringBuilder(count * (rest.length() + 60));
      for (long number = first; number < first + count; number++) {
        lines.append("{\"n\":").append(FIRST + number).append(",\"t\":").append(nowNanos);
        lines.append(rest);
      }
      return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    static long number(BenchClient.Numbered event) {
      return event.number() - FIRST;
    }
  }
}
