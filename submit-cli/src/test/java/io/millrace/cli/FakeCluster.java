package io.millrace.cli;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Answers the calls of a command from a script, and remembers them. Thread-safe. */
public final class FakeCluster implements HttpTransport {
  private final Map<String, Function<HttpCall, HttpAnswer>> routes = new LinkedHashMap<>();
  private final List<HttpCall> calls = new ArrayList<>();
  private boolean down;

  /** Answers every call whose method and address start so; the longest match wins. */
  public FakeCluster answering(String methodAndPath, Object body) {
    return when(methodAndPath, call -> answer(200, "application/json", Json.writeBytes(body)));
  }

  public FakeCluster writing(String methodAndPath, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return when(methodAndPath, call -> answer(200, "application/octet-stream", bytes));
  }

  public FakeCluster refusing(String methodAndPath, ErrorCode code, String detail) {
    return when(methodAndPath, call -> refused(code, detail));
  }

  /** The answer of a refusal. */
  public HttpAnswer refused(ErrorCode code, String detail) {
    return answer(code.status(), Problem.MEDIA_TYPE, Json.writeBytes(Problem.of(code, detail)));
  }

  public synchronized FakeCluster when(String methodAndPath, Function<HttpCall, HttpAnswer> does) {
    routes.put(methodAndPath, does);
    return this;
  }

  /** From now on nobody listens. */
  public synchronized FakeCluster goDown() {
    down = true;
    return this;
  }

  public static HttpAnswer answer(int status, String type, byte[] body) {
    return new HttpAnswer(status, Map.of("content-type", type), body);
  }

  /** The calls made, as method and path with query. */
  public synchronized List<String> asked() {
    return calls.stream().map(FakeCluster::words).toList();
  }

  public synchronized HttpCall last() {
    return calls.get(calls.size() - 1);
  }

  private static String words(HttpCall call) {
    String query = call.uri().getRawQuery();
    return call.method() + " " + call.uri().getPath() + (query == null ? "" : "?" + query);
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    return route(call).apply(call);
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    return new ByteArrayInputStream(route(call).apply(call).orThrow().body());
  }

  private synchronized Function<HttpCall, HttpAnswer> route(HttpCall call) throws IOException {
    calls.add(call);
    if (down) {
      throw new NothingSentException("no server answers at " + call.uri().getAuthority(), null);
    }
    String words = words(call);
    return routes.entrySet().stream()
        .filter(route -> words.startsWith(route.getKey()))
        .max((a, b) -> a.getKey().length() - b.getKey().length())
        .map(Map.Entry::getValue)
        .orElseThrow(() -> new AssertionError("nobody expected " + words));
  }
}
