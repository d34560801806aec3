package io.millrace.platform.http;

import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.AnswerTooLargeException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
    HttpResponse<byte[]> answer = exchange(call, head -> new BoundedBody(call));
    return new HttpAnswer(answer.statusCode(), headers(answer.headers()), answer.body());
  }

  @Override
  public InputStream stream(HttpCall call) throws IOException {
    HttpResponse<InputStream> answer =
        exchange(
            call,
            head ->
                head.statusCode() < 300
                    ? HttpResponse.BodySubscribers.ofInputStream()
                    : HttpResponse.BodySubscribers.mapping(
                        new BoundedBody(call), ByteArrayInputStream::new));
    if (answer.statusCode() < 300) {
      return answer.body();
    }
    byte[] bytes = answer.body().readAllBytes();
    new HttpAnswer(answer.statusCode(), headers(answer.headers()), bytes).orThrow();
    throw new IllegalStateException("a status of " + answer.statusCode() + " is a problem");
  }

  private <T> HttpResponse<T> exchange(HttpCall call, HttpResponse.BodyHandler<T> handler)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(call.uri())
            .timeout(call.timeout())
            .method(call.method(), publisher(call.body()));
    call.headers().forEach(request::header);
    CompletableFuture<HttpResponse<T>> answer = client.sendAsync(request.build(), handler);
    try {
      // The client's own time limit ends with the first byte of the answer.
      return answer.get(call.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failure(call, e.getCause());
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw timedOut(call, e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  private static IOException failure(HttpCall call, Throwable cause) {
    if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
      return new NothingSentException("no server answers at " + call.uri().getAuthority(), cause);
    }
    if (cause instanceof AnswerTooLargeException tooLarge) {
      return tooLarge;
    }
    return new IOException(
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage(), cause);
  }

  private static IOException timedOut(HttpCall call, TimeoutException cause) {
    IOException failure =
        new HttpTimeoutException(
            call.uri().getAuthority() + " did not answer within " + call.timeout());
    failure.initCause(cause);
    return failure;
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

  /** Collects an answer up to the call's limit; ends the exchange when it is exceeded. */
  private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final HttpCall call;
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private Flow.Subscription subscription;

    BoundedBody(HttpCall call) {
      this.call = call;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      if (body.isDone()) {
        return;
      }
      for (ByteBuffer part : parts) {
        if ((long) received.size() + part.remaining() > call.maxAnswer()) {
          subscription.cancel();
          received.reset();
          body.completeExceptionally(new AnswerTooLargeException(call.uri(), call.maxAnswer()));
          return;
        }
        byte[] bytes = new byte[part.remaining()];
        part.get(bytes);
        received.writeBytes(bytes);
      }
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      body.complete(received.toByteArray());
    }
  }
}
