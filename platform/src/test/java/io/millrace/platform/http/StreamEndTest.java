package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stream ends with what opened it, and no caller takes all streams. */
@Timeout(60)
class StreamEndTest {
  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");
  private static final Duration LIFE = Duration.ofMinutes(5);

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final Map<String, Principal> sessions = new ConcurrentHashMap<>();
  private final SseHub hub = new SseHub();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<InputStream> open = new ArrayList<>();
  @TempDir Path folder;
  private volatile boolean unreadable;
  private TokenIssuer issuer;
  private WebServer server;

  @BeforeEach
  void start() {
    KeyFiles.ensure(folder);
    issuer = new TokenIssuer(KeyFiles.privateKey(folder), clock);
    TokenVerifier tokens =
        new TokenVerifier(KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)), clock, "t1");
    server =
        new WebServer(
            WebSettings.loopback(0),
            new Callers(tokens, node -> {}, this::session),
            Health.always(),
            new Metrics("test", "t1"),
            List.of(Route.get("/v1/stream", Set.of(Role.VIEWER, Role.ADMIN), hub.handler())));
    server.start();
  }

  @AfterEach
  void stop() throws IOException {
    for (InputStream stream : open) {
      stream.close();
    }
    hub.stop();
    server.stop();
  }

  @Test
  void nothingIsSentAfterTheSessionHasEnded() throws Exception {
    sessions.put("of-ann", ANN);
    sessions.put("of-bob", Principal.of(Role.VIEWER, "bob"));
    BufferedReader ann = follow(session("of-ann", "/v1/stream"));
    BufferedReader bob = follow(session("of-bob", "/v1/stream"));
    hub.broadcast("load", "1");
    assertThat(data(ann)).contains("1");

    sessions.remove("of-ann");
    hub.broadcast("load", "2");

    assertThat(data(ann)).isEmpty();
    assertThat(data(bob)).contains("1");
    assertThat(data(bob)).contains("2");
  }

  @Test
  void aSilentStreamEndsWithItsSessionToo() throws Exception {
    sessions.put("of-ann", ANN);
    BufferedReader ann = follow(session("of-ann", "/v1/stream"));

    sessions.remove("of-ann");

    assertThat(data(ann)).isEmpty();
    await().until(hub::idle);
  }

  @Test
  void aSessionThatIsNowSomebodyElsesEndsTheStream() throws Exception {
    sessions.put("of-ann", ANN);
    BufferedReader ann = follow(session("of-ann", "/v1/stream"));

    sessions.put("of-ann", Principal.of(Role.VIEWER, "bob"));

    assertThat(data(ann)).isEmpty();
  }

  @Test
  void aStreamEndsWhenSessionsCannotBeRead() throws Exception {
    sessions.put("of-ann", ANN);
    BufferedReader ann = follow(session("of-ann", "/v1/stream"));

    unreadable = true;

    assertThat(data(ann)).isEmpty();
  }

  @Test
  void aTokenThatExpiresEndsItsStreamAfterItsLeeway() throws Exception {
    BufferedReader ann = follow(token(issuer.issue(ANN, Optional.of(LIFE))));
    clock.advance(LIFE.multipliedBy(2).minusSeconds(1));
    hub.broadcast("load", "1");
    assertThat(data(ann)).contains("1");

    clock.advance(Duration.ofSeconds(1));
    hub.broadcast("load", "2");

    assertThat(data(ann)).isEmpty();
  }

  @Test
  void oneCallerLeavesRoomForOthersAndAllTogetherAreBounded() throws Exception {
    fill(ANN);
    assertThat(status(ANN)).isEqualTo(503);

    fill(Principal.of(Role.ADMIN, "ann"));
    assertThat(status(Principal.of(Role.VIEWER, "bob"))).isEqualTo(503);
  }

  @Test
  void aStreamThatEndsMakesRoom() throws Exception {
    fill(ANN);
    open.remove(0).close();

    await()
        .until(
            () -> {
              hub.broadcast("load", Long.toString(System.nanoTime()));
              return status(ANN) == 200;
            });
  }

  private void fill(Principal caller) throws Exception {
    int full = hub.size() + SseHub.MAX_OF_CALLER;
    for (int stream = 0; stream < SseHub.MAX_OF_CALLER; stream++) {
      assertThat(status(caller)).isEqualTo(200);
    }
    await().until(() -> hub.size() == full);
  }

  private int status(Principal caller) throws Exception {
    HttpResponse<InputStream> answer = send(token(issuer.issue(caller, Optional.empty())));
    open.add(answer.body());
    return answer.statusCode();
  }

  private Optional<Principal> session(String value) {
    if (unreadable) {
      throw new IllegalStateException("the database does not answer");
    }
    return Optional.ofNullable(sessions.get(value));
  }

  private HttpRequest.Builder session(String value, String path) {
    return HttpRequest.newBuilder(server.address().resolve(path))
        .header("Cookie", Requests.SESSION_COOKIE + "=" + value);
  }

  private HttpRequest.Builder token(String token) {
    return HttpRequest.newBuilder(server.address().resolve("/v1/stream"))
        .header("Authorization", "Bearer " + token);
  }

  private BufferedReader follow(HttpRequest.Builder request) throws Exception {
    HttpResponse<InputStream> answer = send(request);
    assertThat(answer.statusCode()).isEqualTo(200);
    open.add(answer.body());
    await().until(() -> !hub.idle());
    return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
  }

  private HttpResponse<InputStream> send(HttpRequest.Builder request) throws Exception {
    return client.send(
        request.header("Accept", "text/event-stream").build(), BodyHandlers.ofInputStream());
  }

  /** The next event; empty when the stream has ended. */
  private static Optional<String> data(BufferedReader reader) throws IOException {
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      if (line.startsWith("data:")) {
        return Optional.of(line.substring("data:".length()).strip());
      }
    }
    return Optional.empty();
  }
}
