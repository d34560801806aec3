package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Clients that ask for answers and do not receive them. */
@Timeout(120)
class SlowReadersTest {
  private static final int CLIENTS = 300;
  private static final Duration BRIEF = Duration.ofSeconds(3);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final long BYTES = 32L << 20;

  @TempDir private Path folder;
  private final Logger logger = (Logger) LoggerFactory.getLogger(SlowConnections.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private SlowClients clients;

  @BeforeEach
  void listen() {
    logger.setLevel(Level.DEBUG);
    logged.start();
    logger.addAppender(logged);
  }

  /** Starts a server that waits so long for headers and for clients that receive answers. */
  private void start(Duration time) {
    clients = new SlowClients(folder, SlowClients.bounds(BYTES, time), 1000, 1000);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(logged);
    logger.setLevel(null);
    clients.close();
  }

  @Test
  void strangersWhoDoNotReceiveAnswersLeaveThreadsForOthers() throws Exception {
    start(LONG);
    for (int i = 0; i < CLIENTS; i++) {
      clients.begin("GET /assets/large.js");
    }
    assertThat(clients.isAlive()).isTrue();
    assertThat(clients.post("/v1/things", "hello")).isEqualTo("200 size 5");
    requireStillWaiting(ServerBounds.usual().strangersOfClient());
    requireNoMoreServed(ServerBounds.usual().strangersOfClient());
  }

  @Test
  void knownCallersWhoDoNotReceiveAnswersLeaveThreadsForHealthChecksAndOtherAddresses()
      throws Exception {
    start(LONG);
    String token = clients.authorization();
    for (int i = 0; i < CLIENTS; i++) {
      clients.begin("GET /v1/large", token);
    }
    clients.awaitAnswers(CLIENTS);
    assertThat(clients.isAlive()).isTrue();
    Socket other = clients.connect("127.0.0.2");
    SlowClients.send(
        other, SlowClients.head("POST /v1/things", token, "Content-Length: 5") + "hello");
    assertThat(SlowClients.statusOf(other)).isEqualTo(200);
    requireStillWaiting(ServerBounds.usual().requestsOfClient());
    clients.sockets().remove(other);
    requireNoMoreServed(ServerBounds.usual().requestsOfClient());
  }

  @Test
  void clientThatReceivesAnAnswerTooSlowlyIsCutOff() throws Exception {
    start(BRIEF);
    List<Socket> slow =
        List.of(
            clients.begin("GET /assets/large.js"),
            clients.begin("GET /v1/large", clients.authorization()));
    clients.awaitAnswers(2);
    long[] received = new long[2];
    // A little all the time, so that the connections are never idle, until the server gives up.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              for (int i = 0; i < received.length; i++) {
                received[i] += slow.get(i).getInputStream().read(new byte[1000]);
              }
              return clients.fixture().server().connections().open() == 0;
            });
    for (int i = 0; i < received.length; i++) {
      assertThat(
              received[i]
                  + slow.get(i).getInputStream().transferTo(OutputStream.nullOutputStream()))
          .isLessThan(SlowClients.LARGE);
    }
    assertThat(clients.fixture().server().connections().watched()).isZero();
    // Not by the connector, which closes connections that are idle for long.
    assertThat(logged.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .filteredOn(message -> message.contains("receives an answer too slowly"))
        .hasSizeGreaterThanOrEqualTo(slow.size());
  }

  @Test
  void headerThatTricklesIsCutOffWhicheverRequestItBelongsTo() throws Exception {
    start(BRIEF);
    Socket second = clients.begin("GET /livez");
    clients.awaitAnswers(1);
    assertThat(SlowClients.statusOf(second)).isEqualTo(200);
    SlowClients.send(second, "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ");
    Socket first = clients.connect("127.0.0.1");
    SlowClients.send(first, "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ");
    for (Socket socket : List.of(second, first)) {
      assertThat(isCutOffWhileTrickling(socket)).isTrue();
    }
  }

  @Test
  void aConnectionThatIsIdleAfterARequestIsClosed() throws Exception {
    clients = new SlowClients(folder, SlowClients.boundsOfIdle(BRIEF), 1000, 1000);
    Socket silent = clients.begin("GET /livez");
    Socket known = clients.connect("127.0.0.1");
    SlowClients.send(
        known,
        SlowClients.head("POST /v1/things", clients.authorization(), "Content-Length: 5")
            + "hello");
    // The server takes it together with the first request, so that it sees nothing arrive later.
    Socket begun = clients.connect("127.0.0.1");
    SlowClients.send(
        begun, SlowClients.head("GET /livez") + "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ");
    clients.awaitAnswers(3);
    for (Socket socket : List.of(silent, known, begun)) {
      assertThat(SlowClients.statusOf(socket)).isEqualTo(200);
      SlowClients.awaitCutOff(socket);
    }
  }

  /** The others were answered while so many occupy threads, not after these were cut off. */
  private void requireStillWaiting(int count) {
    assertThat(clients.fixture().server().connections().open()).isGreaterThanOrEqualTo(count);
  }

  private static boolean isCutOffWhileTrickling(Socket socket) {
    for (int i = 0; i < 1000; i++) {
      try {
        SlowClients.send(socket, "x");
      } catch (IOException cutOff) {
        return true;
      }
      if (SlowClients.isCutOff(socket)) {
        return true;
      }
    }
    return false;
  }

  /** No more clients occupy threads than may; the others are told so, or cut off. */
  private void requireNoMoreServed(int most) {
    List<Integer> statuses =
        clients.sockets().stream()
            .filter(SlowClients::hasAnswer)
            .map(SlowReadersTest::status)
            .toList();
    assertThat(statuses)
        .contains(503)
        .filteredOn(status -> status == 200)
        .hasSizeLessThanOrEqualTo(most);
  }

  private static int status(Socket socket) {
    try {
      return SlowClients.statusOf(socket);
    } catch (IOException closed) {
      return 0;
    }
  }
}
