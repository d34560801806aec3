package io.millrace.queuenode.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.NodeStatus;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.api.session.DrainedSlots;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SlotTable;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.MoveAnswer;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A central manager in memory that registers nodes, stores weight rows with compare-and-set and
 * sends every node the topology; requests for the nodes themselves are forwarded. Thread-safe.
 */
final class WeighingCentral implements HttpTransport {
  static final URI ADDRESS = URI.create("http://127.0.0.1:9");

  private static final Duration LONG_POLL = Duration.ofMillis(300);

  private final HttpTransport nodes;
  private final Map<String, QueueNodeReport> reports = new TreeMap<>();
  private final Map<String, NodeStatus> standings = new HashMap<>();
  private final Map<String, QueueWeights> rows = new TreeMap<>();
  private final Map<String, SessionDefinition> sessions = new HashMap<>();
  private final List<MoveRequest> carriedOut = new ArrayList<>();
  private final Set<UUID> known = new HashSet<>();
  private int version = 1;

  WeighingCentral(HttpTransport nodes) {
    this.nodes = nodes;
  }

  synchronized void define(String queue, Map<String, Integer> points) {
    rows.put(queue, new QueueWeights(queue, 1, points));
    changed();
  }

  /** Defines a queue of sessions, with its slots. */
  synchronized void define(String queue, SessionDefinition rules, Map<String, Integer> points) {
    sessions.put(queue, rules);
    rows.put(queue, new QueueWeights(queue, 1, points, SlotTable.of(points)));
    changed();
  }

  synchronized SlotTable slots(String queue) {
    return rows.get(queue).slots();
  }

  synchronized void stand(String node, NodeStatus standing) {
    standings.put(node, standing);
    changed();
  }

  synchronized Map<String, Integer> points(String queue) {
    return rows.get(queue).points();
  }

  synchronized Map<String, QueueNodeReport> reports() {
    return Map.copyOf(reports);
  }

  /** The moves made, oldest first. */
  synchronized List<MoveRequest> carriedOut() {
    return List.copyOf(carriedOut);
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    if (call.uri().getPort() != ADDRESS.getPort()) {
      return nodes.send(call);
    }
    String path = call.uri().getPath();
    if (path.equals("/v1/nonce")) {
      return answer(200, Map.of("nonce", "n"));
    }
    if (path.equals("/v1/topology")) {
      return topology(call.uri().getQuery());
    }
    if (path.equals("/v1/weights/moves")) {
      return move(Json.read(call.body(), MoveRequest.class));
    }
    if (path.endsWith("/slots/drained")) {
      drained(path.split("/")[3], Json.read(call.body(), DrainedSlots.class));
      return answer(204, null);
    }
    report(Json.read(call.body(), QueueNodeReport.class));
    return answer(204, null);
  }

  private synchronized void report(QueueNodeReport report) {
    if (reports.put(report.name(), report) == null) {
      changed();
    }
  }

  private synchronized HttpAnswer topology(String query) throws IOException {
    long deadline = System.nanoTime() + LONG_POLL.toNanos();
    try {
      while (isKnown(query) && System.nanoTime() - deadline < 0) {
        wait(50);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    return isKnown(query) ? answer(204, null) : answer(200, topology());
  }

  private boolean isKnown(String query) {
    return (query + "&").startsWith("after=" + version + "&");
  }

  private Topology topology() {
    return new Topology(
        Integer.toString(version),
        rows.keySet().stream().map(queue -> new VersionedQueue(definition(queue), 1)).toList(),
        List.copyOf(rows.values()),
        reports.values().stream()
            .map(
                node ->
                    new QueueNodeAddress(
                        node.id(), node.name(), node.address(), standings.get(node.name())))
            .toList(),
        List.of());
  }

  private QueueDefinition definition(String queue) {
    return new QueueDefinition(queue, 0, 0, 0, null, 0, null, 0, null, null, 1, null, null)
        .withSessions(sessions.get(queue));
  }

  private synchronized void drained(String queue, DrainedSlots drained) {
    QueueWeights row = rows.get(queue);
    List<Integer> slots =
        drained.slots().keySet().stream()
            .filter(
                slot ->
                    row.slots().owner(slot).node().equals(drained.node())
                        && row.slots().owner(slot).epoch() == drained.slots().get(slot))
            .toList();
    SlotTable table = row.slots().with(slots, owner -> owner.drained(drained.from()));
    if (!table.equals(row.slots())) {
      rows.put(queue, new QueueWeights(queue, row.version() + 1, table.points(), table));
      changed();
    }
  }

  private static QueueWeights moved(QueueWeights row, WeightMove move) {
    SlotTable table = row.slots().with(move.slots(), owner -> owner.passedTo(move.to()));
    return new QueueWeights(move.queue(), move.version() + 1, table.points(), table);
  }

  private synchronized HttpAnswer move(MoveRequest request) {
    if (!known.add(request.id())) {
      return answer(200, new MoveAnswer(List.of(), true));
    }
    Map<String, QueueWeights> next = new HashMap<>(rows);
    for (WeightMove move : request.moves()) {
      QueueWeights row = next.get(move.queue());
      if (rows.get(move.queue()).version() != move.version()) {
        known.remove(request.id());
        Problem stale = Problem.of(ErrorCode.STALE_VERSION, "the row is at " + row.version());
        return new HttpAnswer(
            409, Map.of("content-type", Problem.MEDIA_TYPE), Json.writeBytes(stale));
      }
      if (row.slots() != null) {
        next.put(move.queue(), moved(row, move));
        continue;
      }
      Map<String, Integer> points = new HashMap<>(row.points());
      points.merge(move.from(), -move.points(), Integer::sum);
      points.merge(move.to(), move.points(), Integer::sum);
      points.values().removeIf(share -> share == 0);
      next.put(move.queue(), new QueueWeights(move.queue(), move.version() + 1, points));
    }
    rows.putAll(next);
    if (request.kind() != BalancingKind.SHORTAGE) {
      carriedOut.add(request);
    }
    changed();
    return answer(
        200,
        new MoveAnswer(
            request.moves().stream()
                .map(WeightMove::queue)
                .distinct()
                .map(rows::get)
                .collect(Collectors.toList()),
            false));
  }

  private void changed() {
    version++;
    notifyAll();
  }

  private static HttpAnswer answer(int status, Object body) {
    return new HttpAnswer(status, Map.of(), body == null ? new byte[0] : Json.writeBytes(body));
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("a queue node streams nothing");
  }
}
