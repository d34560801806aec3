package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Known callers who stream bodies slowly, or more than a server reads. */
@Timeout(120)
class SlowStreamsTest {
  private static final int CLIENTS = 300;

  @TempDir private Path folder;
  private SlowClients clients;

  @BeforeEach
  void start() {
    clients = new SlowClients(folder, ServerBounds.usual(), 1000, 1000);
  }

  @AfterEach
  void stop() {
    clients.close();
  }

  @Test
  void slowStreamsLeaveThreadsForOthers() throws Exception {
    String token = clients.authorization();
    for (int i = 0; i < CLIENTS; i++) {
      Socket socket = clients.begin("POST /v1/streams", token, "Transfer-Encoding: chunked");
      SlowClients.send(socket, "1\r\nx\r\n");
    }
    clients.awaitAnswers(CLIENTS - ServerBounds.usual().streams());
    Socket refused =
        clients.sockets().stream().filter(SlowClients::hasAnswer).findFirst().orElseThrow();
    assertThat(SlowClients.statusOf(refused)).isEqualTo(503);
    assertThat(clients.isAlive()).isTrue();
    assertThat(clients.post("/v1/streams", "hello")).isEqualTo("200 size 5");
    for (Socket socket : clients.sockets()) {
      socket.close();
    }
    // Their places are free again.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              Socket next = clients.begin("POST /v1/streams", token, "Transfer-Encoding: chunked");
              SlowClients.send(next, "1\r\nx\r\n0\r\n\r\n");
              return SlowClients.statusOf(next) == 200;
            });
  }

  @Test
  void refusedBodyIsNotReadForLong() throws Exception {
    String token = clients.authorization();
    for (int i = 0; i < CLIENTS; i++) {
      clients.begin("POST /v1/things", token, "Content-Length: 60000000");
    }
    for (Socket socket : clients.sockets()) {
      assertThat(SlowClients.statusOf(socket)).isIn(413, 503);
    }
    assertThat(clients.isAlive()).isTrue();
    for (Socket socket : clients.sockets()) {
      SlowClients.awaitCutOff(socket);
    }
  }
}
