package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Strangers who send bodies to routes that are open to everybody. */
@Timeout(120)
class SlowOpenRoutesTest {
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
  void largeBodiesOfStrangersAreRefusedUnread() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      clients.begin("POST /v1/login", "Content-Length: " + SlowClients.LARGE);
    }
    assertThat(clients.isAlive()).isTrue();
    for (Socket socket : clients.sockets()) {
      // Refused before anything of the body was sent, and not waited for.
      int status = SlowClients.statusOf(socket);
      assertThat(status).isIn(413, 503);
      SlowClients.awaitCutOff(socket);
    }
    assertThat(clients.isAlive()).isTrue();
  }

  @Test
  void bodyWithoutEndIsCutOffAtTheLimitOfTheRoute() throws Exception {
    Socket socket = clients.begin("POST /v1/login", "Transfer-Encoding: chunked");
    String chunk = "1000\r\n" + "x".repeat(0x1000) + "\r\n";
    for (int sent = 0; sent <= Route.OPEN_BODY; sent += 0x1000) {
      SlowClients.send(socket, chunk);
    }
    assertThat(SlowClients.statusOf(socket)).isEqualTo(413);
    SlowClients.awaitCutOff(socket);
  }

  @Test
  void slowBodiesOfStrangersRefuseNobodyElse() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      SlowClients.send(clients.begin("POST /v1/login", "Content-Length: 100"), "x");
    }
    // All but those that have a reader are refused.
    clients.awaitAnswers(CLIENTS - ServerBounds.usual().openReadersOfClient());
    assertThat(clients.isAlive()).isTrue();
    assertThat(clients.post("/v1/things", "hello")).isEqualTo("200 size 5");
  }

  @Test
  void strangersOfAnotherAddressAreStillRead() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      SlowClients.send(clients.begin("POST /v1/login", "Content-Length: 100"), "x");
    }
    clients.awaitAnswers(CLIENTS - ServerBounds.usual().openReadersOfClient());
    Socket other = clients.connect("127.0.0.2");
    SlowClients.send(other, SlowClients.head("POST /v1/login", "Content-Length: 5") + "hello");
    assertThat(SlowClients.statusOf(other)).isEqualTo(200);
  }
}
