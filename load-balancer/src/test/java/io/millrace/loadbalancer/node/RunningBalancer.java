package io.millrace.loadbalancer.node;

import io.millrace.api.DataSize;
import io.millrace.api.client.HttpTransport;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.membership.LocalClusterView;
import io.millrace.platform.membership.MembershipSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;

/** A whole load balancer over real HTTP, ready, and a producer. */
final class RunningBalancer implements AutoCloseable {
  private final SystemClock clock = new SystemClock();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final TokenIssuer issuer;
  private final LoadBalancer balancer;

  /**
   * Starts it.
   *
   * @param cluster the central manager, at the host {@code central}, and queue nodes
   */
  RunningBalancer(Path folder, HttpTransport cluster) throws Exception {
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    issuer = new TokenIssuer(KeyFiles.privateKey(tokens), clock);
    TokenFiles.ensure(tokens, issuer);
    LoadBalancerSettings settings =
        new LoadBalancerSettings(
            "lb1",
            folder.resolve("lb1"),
            List.of(URI.create("http://central")),
            tokens.resolve(KeyFiles.PUBLIC),
            Optional.empty(),
            WebSettings.loopback(0),
            new DataSize(16 << 20),
            MembershipSettings.defaults());
    balancer = new LoadBalancer(settings, clock, cluster, new LocalClusterView(clock));
    balancer.start();
    Awaitility.await().until(() -> get("/readyz").statusCode() == 200);
  }

  HttpResponse<String> post(String path, String mediaType, BodyPublisher body) throws Exception {
    return client.send(
        request(path, Role.PRODUCER).header("Content-Type", mediaType).POST(body).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path) throws Exception {
    return client.send(
        request(path, Role.ADMIN).GET().build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path, Role role) {
    String token = issuer.issue(Principal.of(role, role.label()), Optional.empty());
    return HttpRequest.newBuilder(balancer.address().resolve(path))
        .timeout(Duration.ofSeconds(30))
        .header("Authorization", "Bearer " + token);
  }

  URI address() {
    return balancer.address();
  }

  /** A producer's token. */
  String token() {
    return issuer.issue(Principal.of(Role.PRODUCER, "producer"), Optional.empty());
  }

  void stop() {
    balancer.stop();
  }

  @Override
  public void close() {
    balancer.stop();
  }
}
