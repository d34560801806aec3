package io.millrace.tests.drill.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.drill.network.Interference.Way;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests must really be delivered twice or late, or a drill with such faults proves nothing. */
@Timeout(20)
class InterferenceTest {
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private Link link;
  private HttpClient client;

  @BeforeEach
  void connect() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          heard.add(new String(body, StandardCharsets.US_ASCII));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    int port = new Ports(new SplittableRandom()).free();
    link = new Link("test", port, server.getAddress());
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @AfterEach
  void close() {
    link.close();
    server.stop(0);
  }

  private Interference interfere(Way way) {
    Interference one =
        new Interference(way, "^POST /reports", server.getAddress(), new AtomicInteger());
    link.add(one);
    return one;
  }

  private int post(String path, String body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(link.address().resolve(path))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  @Test
  void aRepeatedRequestIsAnsweredAndDeliveredAgainAfterNewerOnes() throws Exception {
    Interference repeated = interfere(Way.REPEATED);
    assertThat(post("/reports", "first")).isEqualTo(204);
    assertThat(post("/other", "second")).isEqualTo(204);
    repeated.deliver();
    assertThat(heard).containsExactly("first", "second", "first");
    assertThat(repeated.delivered())
        .containsExactly("POST /reports HTTP/1.1 -> HTTP/1.1 204 No Content");
  }

  @Test
  void aLateRequestFailsForItsClientAndIsDeliveredAfterNewerOnes() throws Exception {
    Interference late = interfere(Way.LATE);
    assertThatThrownBy(() -> post("/reports", "x".repeat(40_000))).isInstanceOf(IOException.class);
    assertThat(post("/other", "second")).isEqualTo(204);
    late.deliver();
    assertThat(heard).containsExactly("second", "x".repeat(40_000));
    assertThat(late.delivered()).hasSize(1);
  }

  @Test
  void aRequestWithoutANewerOneIsDeliveredButNotCounted() throws Exception {
    Interference repeated = interfere(Way.REPEATED);
    post("/reports", "only");
    repeated.deliver();
    assertThat(heard).containsExactly("only", "only");
    assertThat(repeated.delivered()).isEmpty();
  }
}
