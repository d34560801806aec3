package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients whose bodies never end: they trickle, so that connections are never idle, or stop. */
@Timeout(120)
class TricklingBodiesTest {
  @TempDir private Path folder;
  private SlowClients clients;

  @BeforeEach
  void start() {
    clients =
        new SlowClients(folder, SlowClients.boundsOfBodies(Duration.ofSeconds(2)), 1000, 1000);
  }

  @AfterEach
  void stop() {
    clients.close();
  }

  @ParameterizedTest
  @CsvSource({
    "POST /v1/things, true, Content-Length: 100000",
    "POST /v1/streams, true, Transfer-Encoding: chunked",
    "POST /v1/login, false, Content-Length: 10000"
  })
  void aBodyThatTricklesIsRefusedAndItsConnectionIsClosed(
      String request, boolean known, String length) throws Exception {
    Socket socket =
        known
            ? clients.begin(request, clients.authorization(), length)
            : clients.begin(request, length);
    String piece = length.contains("chunked") ? "1\r\nx\r\n" : "x";

    Awaitility.await("the refusal")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> SlowClients.hasAnswer(socket) || !isSent(socket, piece));
    assertThat(SlowClients.statusOf(socket)).isEqualTo(ErrorCode.TIMEOUT.status());
    Awaitility.await("the end of the connection")
        .atMost(Duration.ofSeconds(60))
        .until(() -> !isSent(socket, piece) || SlowClients.isCutOff(socket));
  }

  @ParameterizedTest
  @CsvSource({
    "POST /v1/things, true, Content-Length: 100000",
    "POST /v1/things, true, Transfer-Encoding: chunked",
    "POST /v1/streams, true, Content-Length: 100000",
    "POST /v1/streams, true, Transfer-Encoding: chunked",
    "POST /v1/login, false, Content-Length: 10000"
  })
  void aBodyThatStopsIsRefusedAndItsConnectionIsClosed(String request, boolean known, String length)
      throws Exception {
    Socket socket =
        known
            ? clients.begin(request, clients.authorization(), length)
            : clients.begin(request, length);
    SlowClients.send(socket, length.contains("chunked") ? "5\r\nbegin\r\n" : "begin");
    clients.awaitAnswers(1);
    assertThat(SlowClients.statusOf(socket)).isEqualTo(ErrorCode.TIMEOUT.status());
    SlowClients.awaitCutOff(socket);
    assertThat(clients.fixture().server().bodyMemory()).isZero();
    assertThat(clients.post("/v1/things", "hello")).isEqualTo("200 size 5");
  }

  private static boolean isSent(Socket socket, String piece) {
    try {
      SlowClients.send(socket, piece);
      return true;
    } catch (IOException cutOff) {
      return false;
    }
  }
}
