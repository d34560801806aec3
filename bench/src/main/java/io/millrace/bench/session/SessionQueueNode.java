package io.millrace.bench.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.UrlTransport;
import io.millrace.bench.process.BenchServers;
import io.millrace.bench.process.RoleProcess;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A queue node in a process of its own, with one queue of sessions that has no jobs as workers.
 * Closing it stops the node and deletes its directory. One thread starts it again at a time.
 */
final class SessionQueueNode implements AutoCloseable {
  private static final String QUEUE = "bench";
  private static final String NODE = "q1";

  private final BenchServers servers;
  private final ClusterShape shape;
  private volatile RoleProcess process;

  private SessionQueueNode(BenchServers servers, ClusterShape shape) {
    this.servers = servers;
    this.shape = shape;
  }

  /**
   * The queue's rules.
   *
   * @param key where the key of an event is
   * @param maxPerWorker the most sessions of one worker
   * @param maxUnassigned the most sessions without a worker
   * @param heartbeat how often a worker is to be heard of
   */
  record QueueRules(String key, int maxPerWorker, int maxUnassigned, Duration heartbeat) {
    private static final int MANY = 10_000_000;

    /** Rules that refuse nothing. */
    static QueueRules unlimited(String key) {
      return new QueueRules(key, MANY, MANY, Duration.ofMinutes(1));
    }

    QueueRules withMaxUnassigned(int max) {
      return new QueueRules(key, maxPerWorker, max, heartbeat);
    }

    QueueRules withHeartbeat(Duration every) {
      return new QueueRules(key, maxPerWorker, maxUnassigned, every);
    }
  }

  static SessionQueueNode start(ClusterShape shape, QueueRules rules, Clock clock)
      throws IOException, InterruptedException {
    SessionQueueNode node = new SessionQueueNode(new BenchServers(shape.folder(), clock), shape);
    try {
      node.startProcess();
      node.servers.apply(
          """
          kind: queue
          name: %s
          maxEvents: 1000000000
          minSegments: 1
          sessions:
            key: %s
            maxPerWorker: %d
            maxUnassigned: %d
            heartbeat: %dms
          """
              .formatted(
                  QUEUE,
                  Json.write(rules.key()),
                  rules.maxPerWorker(),
                  rules.maxUnassigned(),
                  rules.heartbeat().toMillis()));
      node.servers.awaitSegments(QUEUE, 1);
      return node;
    } catch (RuntimeException | IOException | InterruptedException e) {
      node.close();
      throw e;
    }
  }

  private void startProcess() throws IOException, InterruptedException {
    process =
        servers.start("queue-node", NODE, shape.heap(), Map.of("durability", shape.durability()));
  }

  /** Ends the process as kill -9 does, and starts it again; blocks until it is ready. */
  void killAndRestart() throws IOException, InterruptedException {
    process.kill();
    startProcess();
  }

  RoleProcess process() {
    return process;
  }

  /** A client that several threads may share. */
  SessionCalls client() {
    return new BenchSessionClient(QUEUE, () -> process.address(), servers.token());
  }

  /** Workers that take all sessions that they get. */
  List<SessionBenchWorker> workers(int count, int batch) {
    List<SessionBenchWorker> workers = new ArrayList<>();
    for (int number = 1; number <= count; number++) {
      workers.add(new SessionBenchWorker(client(), "bench-" + number, QueueRules.MANY, batch));
    }
    return workers;
  }

  /** Sessions without a worker, as the node says. */
  long unassigned() {
    JsonNode figures =
        new ApiClient(new UrlTransport(), new Endpoints(List.of(process.address())), servers::token)
            .get(ApiClient.path("/v1/segments/%s", QUEUE))
            .as(JsonNode.class);
    JsonNode unassigned = figures.findValue("unassigned");
    if (unassigned == null) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "the node does not say how many sessions have no worker");
    }
    return unassigned.asLong();
  }

  @Override
  public void close() {
    servers.close();
  }
}
