package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.platform.identity.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that announce bodies and send none, too much, or nothing at all. */
@Timeout(120)
class SlowClientsTest {
  private static final int CLIENTS = 300;
  private static final int MAX_CONNECTIONS = 400;

  @TempDir private Path folder;
  private final List<Socket> sockets = new ArrayList<>();
  private ServerFixture fixture;

  @BeforeEach
  void start() {
    WebSettings settings =
        new WebSettings(
            "127.0.0.1",
            0,
            false,
            List.of(),
            new DataSize(1 << 20),
            MAX_CONNECTIONS,
            MAX_CONNECTIONS,
            Optional.empty());
    List<Route> routes =
        List.of(
            // As the routes that log in and join.
            Route.open("POST", "/v1/open", ctx -> ctx.result("size " + Requests.body(ctx).length)),
            Route.post(
                "/v1/things",
                EnumSet.of(Role.OPERATOR),
                ctx -> ctx.result("size " + Requests.body(ctx).length)));
    fixture = new ServerFixture(folder, settings, new Health(Map.of()), routes);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    fixture.close();
  }

  @Test
  void strangersWhoAnnounceBodiesAreRefusedAtOnceAndCutOff() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      begin("Content-Length: 1000000");
    }
    assertAlive();
    for (Socket socket : sockets) {
      // None of them sends a byte of its body.
      assertThat(statusOf(socket)).isEqualTo(401);
      SlowClients.awaitCutOff(socket);
    }
  }

  @Test
  void callersWithATokenWhoSendNothingLeaveThreadsForOthers() throws Exception {
    String token = "Authorization: Bearer " + fixture.token(Role.OPERATOR);
    for (int i = 0; i < CLIENTS; i++) {
      begin(token, "Content-Length: 1000000");
    }
    assertAlive();
    // Those who find no reader are told so, while the others are still waited for.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> sockets.stream().filter(SlowClientsTest::hasAnswer).count() >= 100);
    Socket refused = sockets.stream().filter(SlowClientsTest::hasAnswer).findFirst().orElseThrow();
    assertThat(statusOf(refused)).isEqualTo(503);
    assertAlive();
    for (Socket socket : sockets) {
      socket.close();
    }
    // Their readers are free again.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> post("hello").equals("200 size 5"));
  }

  @Test
  void strangersWhoLogInSlowlyDoNotKeepOthersFromSending() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      Socket socket = connect();
      sockets.add(socket);
      write(socket, "POST /v1/open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> sockets.stream().filter(SlowClientsTest::hasAnswer).count() >= 100);
    assertThat(post("hello")).isEqualTo("200 size 5");
    assertAlive();
  }

  @Test
  void bodiesWithoutEndAreRefusedAtTheLimit() throws Exception {
    String token = "Authorization: Bearer " + fixture.token(Role.OPERATOR);
    byte[] chunk = ("10000\r\n" + "x".repeat(0x10000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 20; i++) {
      Socket socket = begin(token, "Transfer-Encoding: chunked");
      OutputStream out = socket.getOutputStream();
      for (int sent = 0; sent < 17; sent++) {
        out.write(chunk);
      }
      out.flush();
      assertThat(statusOf(socket)).isEqualTo(413);
    }
    assertAlive();
  }

  @Test
  void theMemoryOfBodiesIsGivenUpWithTheirRequests() throws Exception {
    String body = "x".repeat(1 << 20);
    long enough = ServerBounds.usual().bodyBytes() / body.length() + 10;
    for (long sent = 0; sent < enough; sent++) {
      assertThat(post(body)).isEqualTo("200 size " + body.length());
    }
  }

  @Test
  void connectionsBeyondTheLimitAreClosedAndTheOthersStay() throws Exception {
    for (int i = 0; i < MAX_CONNECTIONS + 20; i++) {
      sockets.add(connect());
    }
    // Not always the last ones: connections that arrive together are accepted in any order.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> sockets.stream().filter(one -> isCutOff(one, 1)).count() == 20);
    Socket open = sockets.stream().filter(socket -> !isCutOff(socket, 1)).findFirst().orElseThrow();
    // The look above left its millisecond as the time-out of reads.
    open.setSoTimeout(60_000);
    write(open, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assertThat(statusOf(open)).isEqualTo(200);
  }

  private void assertAlive() throws Exception {
    assertThat(fixture.send(fixture.request("GET", "/livez", BodyPublishers.noBody())).statusCode())
        .isEqualTo(200);
  }

  private String post(String body) throws Exception {
    var answer =
        fixture.send(
            fixture.as(Role.OPERATOR, "POST", "/v1/things", BodyPublishers.ofString(body)));
    return answer.statusCode() + " " + answer.body();
  }

  private Socket begin(String... headers) throws IOException {
    Socket socket = connect();
    sockets.add(socket);
    write(
        socket,
        "POST /v1/things HTTP/1.1\r\nHost: localhost\r\n"
            + String.join("\r\n", headers)
            + "\r\n\r\n");
    return socket;
  }

  private Socket connect() throws IOException {
    URI address = fixture.server().address();
    return new Socket(address.getHost(), address.getPort());
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  private static boolean hasAnswer(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static int statusOf(Socket socket) throws IOException {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String status = lines.readLine();
    return status == null ? 0 : Integer.parseInt(status.split(" ")[1]);
  }

  /** Whether the server has closed the connection; reads what it has sent before. */
  private static boolean isCutOff(Socket socket, int millis) {
    try {
      socket.setSoTimeout(millis);
      byte[] rest = new byte[4096];
      int count = 0;
      while (count >= 0) {
        count = socket.getInputStream().read(rest);
      }
      return true;
    } catch (SocketException e) {
      return true;
    } catch (IOException stillOpen) {
      return false;
    }
  }
}
