package io.millrace.platform.http;

import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Sends requests with the JDK's HTTP client over persistent HTTP/1.1 connections. Thread-safe;
 * blocks the caller. An interrupt ends the exchange.
 */
public final class JdkTransport implements HttpTransport {
  private final HttpClient client;

  public JdkTransport() {
    this(
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(3))
            .followRedirects(HttpClient.Redirect.NEVER)
            .build());
  }

  JdkTransport(HttpClient client) {
    this.client = client;
  }

  @Override
  public HttpAnswer send(HttpCall call) throws IOException {
    HttpResponse<byte[]> answer = exchange(call, HttpResponse.BodyHandlers.ofByteArray());
    return new HttpAnswer(answer.statusCode(), headers(answer.headers()), answer.body());
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    HttpResponse<InputStream> answer = exchange(call, HttpResponse.BodyHandlers.ofInputStream());
    if (answer.statusCode() < 300) {
      return answer.body();
    }
    try (InputStream body = answer.body()) {
      byte[] bytes = body.readAllBytes();
      new HttpAnswer(answer.statusCode(), headers(answer.headers()), bytes).orThrow();
      throw new IllegalStateException("a status of " + answer.statusCode() + " is a problem");
    }
  }

  private <T> HttpResponse<T> exchange(HttpCall call, HttpResponse.BodyHandler<T> handler)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(call.uri())
            .timeout(call.timeout())
            .method(call.method(), publisher(call.body()));
    call.headers().forEach(request::header);
    try {
      return client.send(request.build(), handler);
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw new NothingSentException("no server answers at " + call.uri().getAuthority(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  private static HttpRequest.BodyPublisher publisher(byte[] body) {
    return body.length == 0
        ? HttpRequest.BodyPublishers.noBody()
        : HttpRequest.BodyPublishers.ofByteArray(body);
  }

  private static Map<String, String> headers(HttpHeaders headers) {
    Map<String, String> first = new HashMap<>();
    headers
        .map()
        .forEach((name, values) -> first.put(name.toLowerCase(Locale.ROOT), values.get(0)));
    return first;
  }
}
