package io.millrace.executor.node;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** One central manager and one queue node, reached through JSON as over a network. */
final class FakeCluster implements HttpTransport {
  static final URI CENTRAL = URI.create("http://central.test");
  static final URI QUEUE_NODE = URI.create("http://q1.test");

  private final List<String> diary = new CopyOnWriteArrayList<>();
  private final FakeCentral central = new FakeCentral(diary);
  private final FakeQueueNode queueNode = new FakeQueueNode(diary);

  FakeCentral central() {
    return central;
  }

  FakeQueueNode queueNode() {
    return queueNode;
  }

  /** What happened, in order, over both servers. */
  List<String> diary() {
    return diary;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    boolean toCentral = call.uri().getHost().equals(CENTRAL.getHost());
    if (toCentral ? central.isAway() : queueNode.isAway()) {
      throw new NothingSentException("nobody answers at " + call.uri(), null);
    }
    if (call.uri().getPath().equals("/v1/nonce")) {
      return new HttpAnswer(200, Map.of(), Json.writeBytes(Map.of("nonce", "n")));
    }
    try {
      Object answer = toCentral ? central.answer(call) : queueNode.answer(call);
      return new HttpAnswer(200, Map.of(), Json.writeBytes(answer));
    } catch (MillraceException e) {
      return new HttpAnswer(
          e.code().status(),
          Map.of("content-type", Problem.MEDIA_TYPE),
          Json.writeBytes(e.problem()));
    }
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("nobody streams from here");
  }
}
