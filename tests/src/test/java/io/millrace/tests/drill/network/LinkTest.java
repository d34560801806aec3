package io.millrace.tests.drill.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.tests.drill.cluster.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link must really fail, or a drill with link faults proves nothing. */
@Timeout(20)
class LinkTest {
  private static final int SOON_MILLIS = 300;
  // Timeout for data that is expected, on a busy machine.
  private static final int LATE_MILLIS = 15_000;

  private ServerSocket listening;
  private Link link;
  private Socket client;
  private Socket server;

  @BeforeEach
  void connect() throws Exception {
    listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    int port = new Ports(new SplittableRandom()).free();
    link = new Link("test", port, (InetSocketAddress) listening.getLocalSocketAddress());
    client = new Socket(InetAddress.getLoopbackAddress(), port);
    server = listening.accept();
    client.setSoTimeout(LATE_MILLIS);
    server.setSoTimeout(LATE_MILLIS);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
    link.close();
    listening.close();
  }

  @Test
  void anIntactLinkCarriesBothDirections() throws IOException {
    send(client, "ping");
    assertThat(receive(server, 4)).isEqualTo("ping");
    send(server, "pong");
    assertThat(receive(client, 4)).isEqualTo("pong");
  }

  @Test
  void aOneWayCutHoldsOnlyThatDirectionUntilItIsHealed() throws IOException {
    link.cut(LinkFailure.TO_SERVER);
    send(client, "ping");
    send(server, "pong");
    assertThat(receive(client, 4)).isEqualTo("pong");
    assertNothingArrives(server);
    link.heal();
    assertThat(receive(server, 4)).isEqualTo("ping");
  }

  @Test
  void aRefusingLinkResetsOpenConnectionsAndRefusesNewOnesUntilItIsHealed() throws IOException {
    link.cut(LinkFailure.REFUSED);
    assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class);
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), link.port()).close())
        .isInstanceOf(ConnectException.class);
    link.heal();
    try (Socket again = new Socket(InetAddress.getLoopbackAddress(), link.port());
        Socket accepted = listening.accept()) {
      send(again, "ping");
      assertThat(receive(accepted, 4)).isEqualTo("ping");
    }
  }

  @Test
  void aSlowLinkHoldsBytesForItsLatencyOrUntilItIsHealed() throws IOException {
    link.slow(Direction.TO_SERVER, Duration.ofMinutes(5), Long.MAX_VALUE);
    send(client, "ping");
    assertNothingArrives(server);
    link.heal();
    assertThat(receive(server, 4)).isEqualTo("ping");
  }

  @Test
  void aLinkCanRefuseAndBeHealedRepeatedly() throws IOException {
    for (int time = 0; time < 200; time++) {
      link.cut(LinkFailure.REFUSED);
      link.heal();
    }
    try (Socket again = new Socket(InetAddress.getLoopbackAddress(), link.port());
        Socket accepted = listening.accept()) {
      send(again, "ping");
      assertThat(receive(accepted, 4)).isEqualTo("ping");
    }
  }

  @Test
  void aCloseOfOneSideReachesTheOther() throws IOException {
    client.close();
    assertThat(server.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void aTriggerActsBeforeItsTextArrivesEvenIfTheTextIsSplit() throws Exception {
    CompletableFuture<Integer> waitingThen = new CompletableFuture<>();
    link.watch(
        new TrafficTrigger(
            Direction.TO_SERVER, "the words", true, at -> waitingThen.complete(available(server))));
    send(client, "now the ");
    assertThat(receive(server, 8)).isEqualTo("now the ");
    send(client, "words");
    assertThat(receive(server, 5)).isEqualTo("words");
    assertThat(waitingThen.get()).as("bytes that had arrived at the time of the action").isZero();
  }

  private static void assertNothingArrives(Socket socket) throws IOException {
    socket.setSoTimeout(SOON_MILLIS);
    assertThatThrownBy(() -> receive(socket, 1)).isInstanceOf(SocketTimeoutException.class);
    socket.setSoTimeout(LATE_MILLIS);
  }

  private static int available(Socket socket) {
    try {
      return socket.getInputStream().available();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void send(Socket socket, String words) throws IOException {
    socket.getOutputStream().write(words.getBytes(StandardCharsets.US_ASCII));
  }

  private static String receive(Socket socket, int length) throws IOException {
    return new String(socket.getInputStream().readNBytes(length), StandardCharsets.US_ASCII);
  }
}
