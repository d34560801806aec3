package io.millrace.loadbalancer.node;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.queue.Topology;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A central manager that tells one topology, at the host {@code central}, and queue nodes. */
final class FakeCluster implements HttpTransport {
  private static final Duration LONG_POLL = Duration.ofMillis(200);

  private final HttpTransport nodes;
  private volatile Topology topology;
  private final List<String> told = new CopyOnWriteArrayList<>();

  FakeCluster(HttpTransport nodes, Topology topology) {
    this.nodes = nodes;
    this.topology = topology;
  }

  void tell(Topology next) {
    topology = next;
  }

  /** What the central manager was told, as method and path, in order. */
  List<String> told() {
    return told;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    if (call.uri().getPath().equals("/v1/nonce")) {
      return new HttpAnswer(200, Map.of(), "{\"nonce\":\"n\"}".getBytes(StandardCharsets.UTF_8));
    }
    if (!call.uri().getHost().equals("central")) {
      return nodes.send(call);
    }
    if (!call.uri().getPath().equals("/v1/topology")) {
      told.add(call.method() + " " + call.uri().getPath());
      return new HttpAnswer(204, Map.of(), new byte[0]);
    }
    if (call.uri().getQuery().contains("after=" + topology.version() + "&")) {
      pause();
      return new HttpAnswer(204, Map.of(), new byte[0]);
    }
    return new HttpAnswer(200, Map.of(), Json.writeBytes(topology));
  }

  private static void pause() throws IOException {
    try {
      new Waiter().await(LONG_POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException();
  }
}
