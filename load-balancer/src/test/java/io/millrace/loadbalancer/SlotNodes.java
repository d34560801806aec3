package io.millrace.loadbalancer;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/**
 * Queue nodes of the queue {@code orders}, whose key is at {@code /key}: a node stores an event
 * only if it has the key's slot under the epoch that the request says, each id once, and after a
 * refusal no later event of the key in the same request. What one node has stored, its successors
 * know. In the place of real nodes' import. Thread-safe.
 */
public final class SlotNodes implements HttpTransport {
  public static final String QUEUE = "orders";

  private final Map<String, Queue<Trouble>> troubles = new HashMap<>();
  private final Map<String, List<String>> stored = new LinkedHashMap<>();
  private final Set<String> ids = new HashSet<>();
  private final Map<String, ErrorCode> refusedKeys = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final List<HttpCall> bodies = new ArrayList<>();
  private SlotTable slots;

  public SlotNodes(Map<String, Integer> points) {
    this.slots = SlotTable.of(points);
  }

  /** The topology as the central managers know it now. */
  public synchronized Topology topology() {
    return topology(slots);
  }

  /** A topology with these slots; null for none. */
  public static Topology topology(SlotTable slots) {
    QueueDefinition queue =
        Json.read("{\"name\":\"orders\",\"sessions\":{\"key\":\"/key\"}}", QueueDefinition.class);
    List<QueueNodeAddress> addresses = new ArrayList<>();
    for (String name : List.of("q1", "q2", "q3")) {
      addresses.add(
          new QueueNodeAddress(UUID.randomUUID(), name, URI.create("http://" + name), null));
    }
    return new Topology(
        "v" + UUID.randomUUID(),
        List.of(new VersionedQueue(queue, 1)),
        slots == null ? List.of() : List.of(new QueueWeights(QUEUE, 1, slots.points(), slots)),
        addresses,
        List.of());
  }

  /** Gives slots to a node, under their next epochs. */
  public synchronized void move(List<Integer> moved, String to) {
    slots =
        slots.with(
            moved.stream().filter(slot -> !slots.owner(slot).node().equals(to)).toList(),
            owner -> new SlotOwner(to, owner.epoch() + 1, List.of()));
  }

  /** Who has a key's slot. */
  public synchronized String owner(String key) {
    return slots.owner(SessionKey.slot(key)).node();
  }

  /** A key whose slot the node has at first. */
  public String keyOf(String node, int number) {
    int found = 0;
    for (int i = 0; ; i++) {
      String key = "k" + i;
      if (owner(key).equals(node) && found++ == number) {
        return key;
      }
    }
  }

  /** What a node does with a request in place of answering it. */
  public interface Trouble {
    HttpAnswer instead(HttpCall call, Function<HttpCall, HttpAnswer> serve) throws IOException;
  }

  /** The node's next request meets this trouble. */
  public synchronized void next(String node, Trouble trouble) {
    troubles.computeIfAbsent(node, n -> new ArrayDeque<>()).add(trouble);
  }

  /** The node's next requests are refused as a whole. */
  public void refuse(String node, ErrorCode code, int times) {
    for (int i = 0; i < times; i++) {
      next(node, (call, serve) -> problem(code));
    }
  }

  /** Events of this key are refused, or with null no longer. */
  public synchronized void refuseKey(String key, ErrorCode code) {
    refusedKeys.put(key, code);
  }

  /** The ids of each key in the order in which they were stored. */
  public synchronized Map<String, List<String>> stored() {
    Map<String, List<String>> copy = new HashMap<>();
    stored.forEach((key, list) -> copy.put(key, List.copyOf(list)));
    return copy;
  }

  /** Each request as the node and the ids of its events. */
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  public synchronized List<HttpCall> bodies() {
    return List.copyOf(bodies);
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    Trouble trouble;
    synchronized (this) {
      bodies.add(call);
      calls.add(call.uri().getHost() + ":" + String.join(",", ids(call)));
      trouble = troubles.getOrDefault(call.uri().getHost(), new ArrayDeque<>()).poll();
    }
    return trouble == null ? serve(call) : trouble.instead(call, this::serve);
  }

  /** What a node answers that is well. */
  public synchronized HttpAnswer serve(HttpCall call) {
    String node = call.uri().getHost();
    List<RefusedEvent> refused = new ArrayList<>();
    Map<String, ErrorCode> refusedBefore = new HashMap<>();
    List<JsonNode> events = events(call);
    boolean repeated = true;
    for (int i = 0; i < events.size(); i++) {
      JsonNode event = events.get(i);
      String key = event.path("data").path("key").asText();
      String id = event.path("id").asText();
      SlotOwner owner = slots.owner(SessionKey.slot(key));
      boolean own = owner.node().equals(node) && owner.epoch() == event.path("slotEpoch").asLong();
      ErrorCode code = own ? refusedKeys.get(key) : ErrorCode.STALE_SLOT;
      code = refusedBefore.getOrDefault(key, code);
      if (code != null && !(own && ids.contains(id))) {
        refused.add(new RefusedEvent(i, id, key, code, "refused by " + node));
        refusedBefore.put(key, code);
      } else if (ids.add(id)) {
        repeated = false;
        stored.computeIfAbsent(key, k -> new ArrayList<>()).add(id);
      }
    }
    String batch = call.headers().get(EventMedia.BATCH_HEADER);
    int accepted = events.size() - refused.size();
    return new HttpAnswer(
        refused.isEmpty() ? 200 : 207,
        Map.of(),
        Json.writeBytes(
            new SendAnswer(QUEUE, batch, accepted, accepted > 0 && repeated, node, refused)));
  }

  private static List<String> ids(HttpCall call) {
    return events(call).stream().map(event -> event.path("id").asText()).toList();
  }

  private static List<JsonNode> events(HttpCall call) {
    return new String(call.body(), StandardCharsets.UTF_8)
        .lines()
        .map(line -> Json.read(line, JsonNode.class))
        .toList();
  }

  /** The call with only its first events. */
  public static HttpCall firstOf(HttpCall call, int events) {
    StringBuilder body = new StringBuilder();
    new String(call.body(), StandardCharsets.UTF_8)
        .lines()
        .limit(events)
        .forEach(line -> body.append(line).append('\n'));
    return new HttpCall(
        call.method(),
        call.uri(),
        call.headers(),
        body.toString().getBytes(StandardCharsets.UTF_8),
        call.timeout());
  }

  public static HttpAnswer problem(ErrorCode code) {
    Problem problem = Problem.of(code, "refused");
    return new HttpAnswer(
        problem.status(), Map.of("content-type", Problem.MEDIA_TYPE), Json.writeBytes(problem));
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException();
  }
}
