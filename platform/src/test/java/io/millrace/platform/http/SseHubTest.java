package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.platform.identity.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SseHubTest {

  private final SseHub hub = new SseHub();
  private final List<InputStream> streams = new ArrayList<>();
  @TempDir Path folder;
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    fixture =
        new ServerFixture(
            folder,
            WebSettings.loopback(0),
            Health.always(),
            List.of(Route.get("/v1/stream", Set.of(Role.VIEWER), hub.handler())));
  }

  @AfterEach
  void stop() throws IOException {
    for (InputStream stream : streams) {
      stream.close();
    }
    hub.stop();
    fixture.close();
  }

  @Test
  void everyClientGetsEveryEventAndNoneTwice() throws Exception {
    BufferedReader one = follow();
    BufferedReader two = follow();
    await().until(() -> !hub.idle());

    hub.broadcast("load", "{\"a\":1}");
    hub.broadcast("load", "{\"a\":1}");
    hub.broadcast("jobs", "{\"b\":1}");
    hub.broadcast("load", "{\"a\":2}");

    for (BufferedReader reader : List.of(one, two)) {
      assertThat(data(reader, 3)).containsExactly("{\"a\":1}", "{\"b\":1}", "{\"a\":2}");
    }
  }

  @Test
  void aLateSubscriberGetsTheLastEventOfEachTopicImmediately() throws Exception {
    hub.broadcast("load", "{\"a\":1}");
    hub.broadcast("load", "{\"a\":2}");
    hub.broadcast("jobs", "{\"b\":1}");

    assertThat(data(follow(), 2)).containsExactlyInAnyOrder("{\"a\":2}", "{\"b\":1}");
  }

  @Test
  void aClientThatDoesNotReadDelaysNoOtherAndLosesItsOldestEvents() throws Exception {
    streams.add(open().body());
    BufferedReader brisk = follow();
    String large = "x".repeat(100_000);

    for (int i = 0; i < 500; i++) {
      hub.broadcast("load", "\"" + i + large + "\"");
      if (i % 10 == 0) {
        String line = data(brisk, 1).get(0);
        assertThat(line).contains(large);
      }
    }

    hub.broadcast("end", "\"end\"");
    String last = "";
    while (!last.equals("\"end\"")) {
      last = data(brisk, 1).get(0);
    }
  }

  @Test
  void aDisconnectedClientIsRemovedAtTheNextEvent() throws Exception {
    InputStream stream = open().body();
    await().until(() -> !hub.idle());

    stream.close();

    int[] count = {0};
    await()
        .until(
            () -> {
              hub.broadcast("load", Integer.toString(count[0]++));
              return hub.idle();
            });
  }

  @Test
  void aStoppedHubTakesNoClients() throws Exception {
    hub.stop();

    HttpResponse<String> answer =
        fixture.send(fixture.get(Role.VIEWER, "/v1/stream").header("Accept", "text/event-stream"));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(ServerFixture.problem(answer).code()).isEqualTo(ErrorCode.UNAVAILABLE.name());
  }

  private BufferedReader follow() throws Exception {
    InputStream body = open().body();
    streams.add(body);
    return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  private HttpResponse<InputStream> open() throws Exception {
    HttpResponse<InputStream> answer =
        HttpClient.newHttpClient()
            .send(
                fixture
                    .get(Role.VIEWER, "/v1/stream")
                    .header("Accept", "text/event-stream")
                    .build(),
                BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer;
  }

  private static List<String> data(BufferedReader reader, int count) throws IOException {
    List<String> found = new ArrayList<>();
    while (found.size() < count) {
      String line = reader.readLine();
      if (line == null) {
        throw new AssertionError("the stream ended after " + found);
      }
      if (line.startsWith("data:")) {
        found.add(line.substring("data:".length()).strip());
      }
    }
    return found;
  }
}
