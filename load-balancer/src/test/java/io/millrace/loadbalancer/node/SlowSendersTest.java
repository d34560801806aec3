package io.millrace.loadbalancer.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.event.EventMedia;
import io.millrace.loadbalancer.FakeNodes;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.membership.LocalClusterView;
import io.millrace.platform.membership.MembershipSettings;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Producers who begin many bodies of lines and send almost nothing. */
@Timeout(120)
class SlowSendersTest {
  private static final String EVENTS = "/v1/queues/alert/events";
  private static final int SENDERS = 300;
  private static final int MOST_STREAMS = 100;

  @TempDir private Path folder;

  private final SystemClock clock = new SystemClock();
  private final List<Socket> sockets = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private String token;
  private LoadBalancer balancer;

  @BeforeEach
  void begin() {
    KeyFiles.ensure(folder);
    token =
        new TokenIssuer(KeyFiles.privateKey(folder), clock)
            .issue(Principal.of(Role.PRODUCER, "p"), Optional.empty());
    // So much memory that only the number of bodies is limited.
    LoadBalancerSettings settings =
        new LoadBalancerSettings(
            "lb1",
            folder.resolve("lb1"),
            List.of(URI.create("http://central")),
            folder.resolve(KeyFiles.PUBLIC),
            Optional.empty(),
            WebSettings.loopback(0),
            new DataSize(1L << 40),
            MembershipSettings.defaults());
    FakeCluster cluster =
        new FakeCluster(new FakeNodes(), FakeNodes.topology(Map.of("q1", 500, "q2", 500)));
    balancer = new LoadBalancer(settings, clock, cluster, new LocalClusterView(clock));
    balancer.start();
    Awaitility.await().until(() -> status(request("/readyz").GET()) == 200);
  }

  @AfterEach
  void end() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    balancer.stop();
  }

  @Test
  void slowBodiesOfLinesLeaveThreadsForOthers() throws Exception {
    for (int i = 0; i < SENDERS; i++) {
      Socket socket = new Socket("127.0.0.1", balancer.address().getPort());
      sockets.add(socket);
      String text =
          "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                  .formatted(EVENTS, token)
              + "Content-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n"
                  .formatted(EventMedia.LINES);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }
    // Those who find no place are told so, while the others are still waited for.
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                sockets.stream().filter(SlowSendersTest::hasAnswer).count()
                    >= SENDERS - MOST_STREAMS);
    assertThat(status(request("/livez").GET())).isEqualTo(200);
    for (String mediaType : List.of(EventMedia.LINES, EventMedia.JSON)) {
      HttpRequest.Builder event = request(EVENTS).header("Content-Type", mediaType);
      assertThat(status(event.POST(BodyPublishers.ofString("1")))).isEqualTo(200);
    }
  }

  private static boolean hasAnswer(Socket socket) {
    try {
      return socket.getInputStream().available() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private int status(HttpRequest.Builder request) throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(balancer.address().resolve(path))
        .timeout(Duration.ofSeconds(30))
        .header("Authorization", "Bearer " + token);
  }
}
