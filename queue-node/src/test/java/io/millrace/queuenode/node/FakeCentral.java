package io.millrace.queuenode.node;

import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A central manager for a queue node: publishes topologies and accepts reports. */
final class FakeCentral implements HttpTransport {
  private static final byte[] NOTHING = {};

  private final BlockingQueue<Topology> untold = new LinkedBlockingQueue<>();
  private final List<QueueNodeReport> reports = new CopyOnWriteArrayList<>();
  private volatile boolean away;

  void publish(Topology topology) {
    untold.add(topology);
  }

  void away(boolean now) {
    away = now;
  }

  List<QueueNodeReport> reports() {
    return reports;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    if (away) {
      throw new NothingSentException("nobody here", new ConnectException("refused"));
    }
    String path = call.uri().getPath();
    if (path.equals("/v1/nonce")) {
      return new HttpAnswer(200, Map.of(), "{\"nonce\":\"n\"}".getBytes(StandardCharsets.UTF_8));
    }
    if (!call.headers().getOrDefault("Authorization", "").startsWith("Millrace ")) {
      return new HttpAnswer(401, Map.of(), NOTHING);
    }
    if (path.equals("/v1/topology")) {
      return topology();
    }
    if (path.startsWith("/v1/queue-nodes/") && path.endsWith("/report")) {
      reports.add(Json.read(call.body(), QueueNodeReport.class));
      return new HttpAnswer(204, Map.of(), NOTHING);
    }
    return new HttpAnswer(404, Map.of(), NOTHING);
  }

  private HttpAnswer topology() throws IOException {
    try {
      Topology next = untold.poll(100, TimeUnit.MILLISECONDS);
      return next == null
          ? new HttpAnswer(204, Map.of(), NOTHING)
          : new HttpAnswer(200, Map.of(), Json.writeBytes(next));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("a queue node streams nothing");
  }
}
