package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the JDK's client reports decides whether a request may be sent again elsewhere. */
class JdkTransportFailuresTest {
  private static final HttpCall CALL =
      new HttpCall(
          "POST",
          URI.create("http://127.0.0.1:1/v1/x"),
          Map.of(),
          new byte[1],
          Duration.ofSeconds(1));

  private final HttpClient client = mock(HttpClient.class);
  private final JdkTransport transport = new JdkTransport(client);

  @Test
  void aConnectionThatWasNeverMadeSentNothing() {
    failing(new ConnectException("refused"));
    assertThatThrownBy(() -> transport.send(CALL)).isInstanceOf(NothingSentException.class);
  }

  @Test
  void aConnectionThatTookTooLongToMakeSentNothing() {
    failing(new HttpConnectTimeoutException("slow"));
    assertThatThrownBy(() -> transport.send(CALL)).isInstanceOf(NothingSentException.class);
  }

  @Test
  void anAnswerThatTookTooLongMayHaveHadItsEffect() {
    failing(new HttpTimeoutException("no answer"));
    assertThatThrownBy(() -> transport.send(CALL))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(NothingSentException.class);
  }

  @Test
  void anInterruptEndsTheExchangeAndStaysWithTheThread() {
    CompletableFuture<HttpResponse<byte[]>> never = new CompletableFuture<>();
    when(client.<byte[]>sendAsync(any(), any())).thenReturn(never);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> transport.send(CALL)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(never).isCancelled();
  }

  @Test
  void anAnswerThatHasNotArrivedInTimeEndsTheExchange() {
    CompletableFuture<HttpResponse<byte[]>> never = new CompletableFuture<>();
    when(client.<byte[]>sendAsync(any(), any())).thenReturn(never);
    assertThatThrownBy(() -> transport.send(CALL.within(Duration.ofMillis(1))))
        .isInstanceOf(HttpTimeoutException.class);
    assertThat(never).isCancelled();
  }

  private void failing(IOException failure) {
    when(client.<byte[]>sendAsync(any(), any()))
        .thenReturn(CompletableFuture.failedFuture(failure));
  }
}
