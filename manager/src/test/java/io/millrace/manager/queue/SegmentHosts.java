package io.millrace.manager.queue;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Queue nodes by host name, each with its own answers; those without any can't be reached. */
final class SegmentHosts implements HttpTransport {
  final List<HttpCall> calls = new CopyOnWriteArrayList<>();
  private final Map<String, Function<HttpCall, Object>> hosts = new ConcurrentHashMap<>();
  private volatile String nonce = "n";

  /** A list that has no room for all that was requested. */
  record Cut(List<?> list) {}

  /** The nonce that every host issues. */
  void nonce(String issued) {
    nonce = issued;
  }

  /** What a host answers: a value, or a {@link MillraceException} for its problem. */
  void answers(String host, Function<HttpCall, Object> answer) {
    hosts.put(host, answer);
  }

  /** An answer that is larger than the call allows. */
  record OversizedAnswer() {}

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    if (call.uri().getPath().equals("/v1/nonce") && hosts.containsKey(call.uri().getHost())) {
      return new HttpAnswer(200, Map.of(), Json.writeBytes(Map.of("nonce", nonce)));
    }
    calls.add(call);
    Function<HttpCall, Object> host = hosts.get(call.uri().getHost());
    if (host == null) {
      throw new NothingSentException("no server answers", new ConnectException("refused"));
    }
    Object answer = host.apply(call);
    if (answer instanceof MillraceException problem) {
      byte[] body = Json.writeBytes(Problem.of(problem.code(), problem.getMessage()));
      return new HttpAnswer(
          problem.code().status(), Map.of("content-type", Problem.MEDIA_TYPE), body);
    }
    if (answer instanceof OversizedAnswer) {
      throw new AnswerTooLargeException(call.uri(), call.maxAnswer());
    }
    if (answer instanceof Cut cut) {
      return new HttpAnswer(200, Map.of("millrace-next", "1"), Json.writeBytes(cut.list()));
    }
    return new HttpAnswer(200, Map.of("content-type", "application/json"), Json.writeBytes(answer));
  }

  @Override
  public InputStream stream(HttpCall call) {
    throw new UnsupportedOperationException("nobody streams here");
  }
}
