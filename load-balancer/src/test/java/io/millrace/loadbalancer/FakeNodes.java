package io.millrace.loadbalancer;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;

/**
 * Queue nodes that count what they get, each batch name once, unless told to fail first. Only
 * events that are not blank count. Thread-safe.
 */
public final class FakeNodes implements HttpTransport {
  private final Map<String, Queue<Object>> troubles = new HashMap<>();
  private final Map<String, Integer> stored = new HashMap<>();
  private final Map<String, Integer> batches = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final List<String> queries = new ArrayList<>();

  /** A topology of the queue {@code alert} over nodes of these weights. */
  public static Topology topology(Map<String, Integer> points) {
    QueueDefinition queue = Json.read("{\"name\":\"alert\"}", QueueDefinition.class);
    List<QueueNodeAddress> addresses =
        points.keySet().stream()
            .map(
                name ->
                    new QueueNodeAddress(
                        UUID.randomUUID(), name, URI.create("http://" + name), null))
            .toList();
    return new Topology(
        "v1",
        List.of(new VersionedQueue(queue, 1)),
        List.of(new QueueWeights("alert", 1, points)),
        addresses,
        List.of());
  }

  /** The node's next answer is this failure. */
  public synchronized void fail(String node, IOException failure) {
    troubles.computeIfAbsent(node, n -> new ArrayDeque<>()).add(failure);
  }

  /** The node's next answer is a refusal. */
  public synchronized void refuse(String node, ErrorCode code) {
    troubles.computeIfAbsent(node, n -> new ArrayDeque<>()).add(Problem.of(code, "refused"));
  }

  /** The node's next answer is this text, and it stores nothing. */
  public synchronized void answer(String node, String json) {
    troubles
        .computeIfAbsent(node, n -> new ArrayDeque<>())
        .add(new HttpAnswer(200, Map.of(), json.getBytes(StandardCharsets.UTF_8)));
  }

  /** Events by node. */
  public synchronized Map<String, Integer> stored() {
    return Map.copyOf(stored);
  }

  /** Events of each batch by its name. */
  public synchronized Map<String, Integer> batches() {
    return Map.copyOf(batches);
  }

  /** Every request as {@code node:batch}. */
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  /** The queries of the requests. */
  public synchronized List<String> queries() {
    return List.copyOf(queries);
  }

  @Override
  public synchronized HttpAnswer send(HttpCall call) throws IOException {
    if (call.uri().getPath().equals("/v1/nonce")) {
      return new HttpAnswer(200, Map.of(), "{\"nonce\":\"n\"}".getBytes(StandardCharsets.UTF_8));
    }
    String node = call.uri().getHost();
    String batch = call.headers().get(EventMedia.BATCH_HEADER);
    calls.add(node + ":" + batch);
    if (call.uri().getQuery() != null) {
      queries.add(call.uri().getQuery());
    }
    Object trouble = troubles.getOrDefault(node, new ArrayDeque<>()).poll();
    if (trouble instanceof IOException failure) {
      throw failure;
    }
    if (trouble instanceof HttpAnswer answer) {
      return answer;
    }
    if (trouble instanceof Problem problem) {
      return problem(problem);
    }
    int events =
        (int)
            new String(call.body(), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .count();
    if (events == 0) {
      return problem(Problem.of(ErrorCode.INVALID_REQUEST, "the batch holds no event"));
    }
    boolean repeated = batches.putIfAbsent(batch, events) != null;
    if (!repeated) {
      stored.merge(node, events, Integer::sum);
    }
    String queue = call.uri().getPath().split("/")[3];
    SendAnswer answer = new SendAnswer(queue, batch, events, repeated, node);
    return new HttpAnswer(200, Map.of(), Json.writeBytes(answer));
  }

  private static HttpAnswer problem(Problem problem) {
    return new HttpAnswer(
        problem.status(), Map.of("content-type", Problem.MEDIA_TYPE), Json.writeBytes(problem));
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException();
  }
}
