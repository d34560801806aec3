package io.millrace.platform.http;

import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.CallSigner.CallClaims;
import io.millrace.platform.identity.CallVerifier;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A running server with given routes, its tokens, and a plain client. */
final class ServerFixture implements AutoCloseable {

  /** The session of an administrator. */
  static final String SESSION = "a-session";

  static final String AUDIENCE = "queue-node/t1";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final TokenIssuer issuer;
  private final CallSigner central;
  private final CallVerifier nonces;
  private final WebServer server;

  ServerFixture(Path folder, WebSettings settings, Health health, List<Route> routes) {
    this(folder, settings, ServerBounds.usual(), health, routes);
  }

  ServerFixture(
      Path folder, WebSettings settings, ServerBounds bounds, Health health, List<Route> routes) {
    KeyFiles.ensure(folder);
    issuer = new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock());
    central = CallSigner.ofCentralManager(KeyFiles.privateKey(folder));
    TokenVerifier verifier =
        new TokenVerifier(
            KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)), new SystemClock(), AUDIENCE);
    nonces = verifier.calls();
    Callers callers =
        new Callers(
            verifier,
            node -> {},
            session ->
                session.equals(SESSION)
                    ? Optional.of(Principal.of(Role.ADMIN, "admin"))
                    : Optional.empty());
    server = new WebServer(settings, bounds, callers, health, new Metrics("test", "t1"), routes);
    server.start();
  }

  WebServer server() {
    return server;
  }

  URI uri(String path) {
    return server.address().resolve(path);
  }

  String token(Role role) {
    return issuer.issue(Principal.of(role, role.label()), Optional.empty());
  }

  HttpRequest.Builder request(String method, String path, BodyPublisher body) {
    return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(30)).method(method, body);
  }

  HttpRequest.Builder as(Role role, String method, String path, BodyPublisher body) {
    return request(method, path, body).header("Authorization", authorization(role, method, path));
  }

  private String authorization(Role role, String method, String path) {
    if (!role.isServer()) {
      return "Bearer " + token(role);
    }
    CallClaims call = new CallClaims(AUDIENCE, method, CallSigner.path(uri(path)), nonces.nonce());
    if (role == Role.MANAGER) {
      return "Millrace " + central.sign(call, Principal.of(role, "c1"));
    }
    NodeIdentity node = new NodeIdentity(role, "n1", new UUID(1, role.ordinal()));
    return "Millrace " + CallSigner.of(issuer.credential(node)).sign(call, Principal.of(node));
  }

  HttpRequest.Builder get(Role role, String path) {
    return as(role, "GET", path, BodyPublishers.noBody());
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** The answer's problem, after checking that it says so in its media type. */
  static Problem problem(HttpResponse<String> answer) {
    String type = answer.headers().firstValue("Content-Type").orElse("none");
    if (!type.startsWith(Problem.MEDIA_TYPE)) {
      throw new AssertionError("not a problem: " + answer.statusCode() + " " + type);
    }
    return Json.read(answer.body(), Problem.class);
  }

  /** Sends exactly this text over a socket and gives whatever comes back until the end. */
  String raw(String text) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    server.stop();
  }
}
