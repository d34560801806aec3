package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Known callers who send more than the server holds at a time, and never finish. */
@Timeout(120)
class LargeBodiesTest {
  private static final int CLIENTS = 20;
  // One body while it grows, but not two.
  private static final long MEMORY = SlowClients.LARGE * 3 / 2;

  @TempDir private Path folder;
  private SlowClients clients;

  @BeforeEach
  void start() {
    ServerBounds bounds = SlowClients.bounds(MEMORY, Duration.ofSeconds(20));
    clients = new SlowClients(folder, bounds, 100, 100);
  }

  @AfterEach
  void stop() {
    clients.close();
  }

  @Test
  void bodiesThatArriveAreHeldWithinTheMemoryAndTheOthersAreRefused() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Socket socket =
          clients.begin(
              "POST /v1/things", clients.authorization(), "Content-Length: " + SlowClients.LARGE);
      if (isRefused(socket)) {
        assertThat(SlowClients.statusOf(socket)).isEqualTo(503);
      } else {
        waiting.add(socket);
      }
    }
    assertThat(waiting).hasSize(1);
    assertThat(clients.isAlive()).isTrue();
    assertThat(clients.post("/v1/things", "hello")).isEqualTo("200 size 5");
    waiting.get(0).close();
    // The memory is free again.
    String large = "x".repeat(SlowClients.LARGE);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> clients.post("/v1/things", large).equals("200 size " + large.length()));
  }

  /** Sends all but a little and waits for a refusal, or until the server has read everything. */
  private boolean isRefused(Socket socket) {
    try {
      String piece = "x".repeat(SlowClients.LARGE / 64);
      for (int i = 0; i < 63; i++) {
        SlowClients.send(socket, piece);
      }
      SlowClients.send(socket, piece.substring(100));
    } catch (IOException cutOff) {
      return true;
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                SlowClients.hasAnswer(socket)
                    || clients.fixture().server().bodyMemory() >= SlowClients.LARGE);
    return SlowClients.hasAnswer(socket);
  }
}
