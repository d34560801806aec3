package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections of one address, of all, and of the machine itself. */
@Timeout(120)
class ConnectionLimitsTest {
  private static final int MAX = 60;
  private static final int OF_CLIENT = 20;

  @TempDir private Path folder;
  private SlowClients clients;

  @BeforeEach
  void start() {
    clients = new SlowClients(folder, ServerBounds.usual(), MAX, OF_CLIENT);
  }

  @AfterEach
  void stop() {
    clients.close();
  }

  @Test
  void addressHasOnlySoManyConnectionsAndOthersHaveTheirs() throws Exception {
    for (int i = 0; i < OF_CLIENT; i++) {
      clients.connect("127.0.0.2");
    }
    clients.connect("127.0.0.2");
    requireAnswered(OF_CLIENT);
    Socket other = clients.connect("127.0.0.3");
    SlowClients.send(other, SlowClients.head("GET /livez"));
    assertThat(SlowClients.statusOf(other)).isEqualTo(200);
  }

  @Test
  void whenAllConnectionsAreTakenTheMachineItselfIsStillAnswered() throws Exception {
    for (String address : new String[] {"127.0.0.2", "127.0.0.3", "127.0.0.4"}) {
      for (int i = 0; i < OF_CLIENT; i++) {
        clients.connect(address);
      }
    }
    clients.connect("127.0.0.5");
    requireAnswered(MAX);
    assertThat(clients.isAlive()).isTrue();
  }

  @Test
  void closedConnectionsAreForgottenAtOnce() throws Exception {
    for (int i = 0; i < OF_CLIENT; i++) {
      clients.connect("127.0.0.2");
    }
    ConnectionLimits limits = clients.fixture().server().connections();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> limits.watched() == OF_CLIENT);
    for (Socket socket : clients.sockets()) {
      socket.close();
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> limits.watched() == 0);
    assertThat(limits.open()).isZero();
  }

  @Test
  void addressThatClosesItsConnectionsMayOpenOthers() throws Exception {
    ConnectionLimits limits = clients.fixture().server().connections();
    for (int i = 0; i < 3 * OF_CLIENT; i++) {
      Socket socket = clients.connect("127.0.0.2");
      SlowClients.send(socket, SlowClients.head("GET /livez"));
      assertThat(SlowClients.statusOf(socket)).isEqualTo(200);
      socket.close();
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> limits.open() == 0);
    }
  }

  /**
   * Requests on the other connections are not answered, although these need no thread and send them
   * at once. Which connections these are depends on the order in which they were accepted.
   */
  private void requireAnswered(int expected) {
    assertThat(clients.sockets().stream().filter(ConnectionLimitsTest::isAnswered))
        .hasSize(expected);
  }

  private static boolean isAnswered(Socket socket) {
    try {
      SlowClients.send(socket, SlowClients.head("GET /livez"));
      return SlowClients.statusOf(socket) == 200;
    } catch (IOException closed) {
      return false;
    }
  }

  @Test
  void addressesOfOneNetworkAreOneClient() throws Exception {
    ClientNetwork first = ClientNetwork.of(InetAddress.getByName("2001:db8:1:2:3:4:5:6"));
    assertThat(ClientNetwork.of(InetAddress.getByName("2001:db8:1:2::1"))).isEqualTo(first);
    assertThat(ClientNetwork.of(InetAddress.getByName("2001:db8:1:3::1"))).isNotEqualTo(first);
    assertThat(first).hasToString("2001:db8:1:2:0:0:0:0/64");
    assertThat(ClientNetwork.of(InetAddress.getByName("192.0.2.1"))).hasToString("192.0.2.1");
  }
}
