package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.identity.Role;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WebServerStopTest {

  private static final Set<Role> VIEWERS = Set.of(Role.VIEWER);

  private final HttpClient client = HttpClient.newHttpClient();
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch finish = new CountDownLatch(1);
  private final SseHub hub = new SseHub();
  @TempDir Path folder;

  @Test
  void aRequestThatIsAboutToEndIsStillAnswered() throws Exception {
    ServerFixture fixture = start();
    CompletableFuture<HttpResponse<String>> answer = ask(fixture, "/v1/slow");
    entered.await();

    CompletableFuture<Void> stopped = CompletableFuture.runAsync(fixture::close);
    finish.countDown();

    assertThat(answer.get().body()).isEqualTo("finished");
    stopped.get();
  }

  @Test
  void aLongPollIsBrokenOffAndItsThreadFreed() throws Exception {
    ServerFixture fixture = start();
    CompletableFuture<HttpResponse<String>> answer = ask(fixture, "/v1/slow");
    entered.await();

    fixture.close();

    interrupted.await();
    Assertions.assertThatThrownBy(answer::get).isNotNull();
  }

  @Test
  void anOpenStreamEndsWithTheServer() throws Exception {
    ServerFixture fixture = start();
    HttpResponse<InputStream> stream =
        client.send(
            fixture.get(Role.VIEWER, "/v1/stream").header("Accept", "text/event-stream").build(),
            BodyHandlers.ofInputStream());
    assertThat(stream.statusCode()).isEqualTo(200);

    hub.stop();
    fixture.close();

    assertThat(endOf(stream.body())).isTrue();
  }

  @Test
  void afterTheStopNothingAnswersAndASecondStopDoesNothing() {
    ServerFixture fixture = start();

    fixture.close();
    fixture.close();

    Assertions.assertThatThrownBy(() -> fixture.send(fixture.get(Role.VIEWER, "/livez")))
        .isInstanceOf(ConnectException.class);
  }

  private ServerFixture start() {
    return new ServerFixture(
        folder,
        WebSettings.loopback(0),
        Health.always(),
        List.of(
            Route.get(
                "/v1/slow",
                VIEWERS,
                ctx -> {
                  entered.countDown();
                  try {
                    finish.await();
                  } catch (InterruptedException stopped) {
                    interrupted.countDown();
                    throw stopped;
                  }
                  ctx.result("finished");
                }),
            Route.get("/v1/stream", VIEWERS, hub.handler())));
  }

  private CompletableFuture<HttpResponse<String>> ask(ServerFixture fixture, String path) {
    return client.sendAsync(
        fixture.get(Role.VIEWER, path).timeout(Duration.ofSeconds(30)).build(),
        BodyHandlers.ofString());
  }

  /** Whether the stream ends, be it in order or by a broken connection. */
  private static boolean endOf(InputStream stream) {
    try {
      stream.readAllBytes();
      return true;
    } catch (java.io.IOException broken) {
      return true;
    }
  }
}
