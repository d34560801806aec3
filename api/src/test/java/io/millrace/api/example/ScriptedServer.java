package io.millrace.api.example;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Answers calls from a script and remembers them. Not thread-safe. */
final class ScriptedServer implements HttpTransport {
  private final Map<String, HttpAnswer> script = new HashMap<>();
  private final List<HttpCall> calls = new ArrayList<>();
  private String down;

  ScriptedServer answers(String methodAndPath, Object body) {
    script.put(
        methodAndPath,
        new HttpAnswer(200, Map.of("content-type", "application/json"), Json.writeBytes(body)));
    return this;
  }

  void refuses(String methodAndPath, ErrorCode code, String words) {
    script.put(
        methodAndPath,
        new HttpAnswer(
            code.status(),
            Map.of("content-type", Problem.MEDIA_TYPE),
            Json.writeBytes(Problem.of(code, words))));
  }

  /** Nobody listens at this host. */
  ScriptedServer down(String host) {
    down = host;
    return this;
  }

  int calls() {
    return calls.size();
  }

  HttpCall call(int number) {
    return calls.get(number);
  }

  String text(int number) {
    return new String(call(number).body(), StandardCharsets.UTF_8);
  }

  <T> T received(Class<T> type, int number) {
    return Json.read(call(number).body(), type);
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    calls.add(call);
    if (call.uri().getHost().equals(down)) {
      throw new NothingSentException("nobody listens at " + down, null);
    }
    HttpAnswer answer = script.get(call.method() + " " + call.uri().getPath());
    if (answer == null) {
      throw new AssertionError("not in the script: " + call.method() + " " + call.uri());
    }
    return answer;
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    return new ByteArrayInputStream(send(call).orThrow().body());
  }
}
