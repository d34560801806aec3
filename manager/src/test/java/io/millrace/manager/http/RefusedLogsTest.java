package io.millrace.manager.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.RestorationDao;
import io.millrace.manager.job.RestorationDao.Restoration;
import io.millrace.manager.task.LoggedOutput;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs at the address of an execution node where another server answers now. */
class RefusedLogsTest {
  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");

  @TempDir private Path folder;
  private final JobBench bench = JobBench.withTwoNodes(1);
  private SignedCalls calls;
  private WebServer server;
  private long job;

  /** What the server there answers to calls for an output. */
  private Supplier<InputStream> answers =
      () -> {
        throw new MillraceException(ErrorCode.UNAUTHENTICATED, "a token is required");
      };

  /** Knows no caller, as a server of another name. */
  private final class Stranger implements HttpTransport {
    @Override
    public HttpAnswer send(HttpCall call) {
      if (call.uri().getPath().equals("/v1/nonce")) {
        return new HttpAnswer(200, Map.of(), Json.writeBytes(Map.of("nonce", "n")));
      }
      throw new MillraceException(ErrorCode.UNAUTHENTICATED, "a token is required");
    }

    @Override
    public InputStream stream(HttpCall call) {
      return answers.get();
    }
  }

  @BeforeEach
  void start() {
    KeyFiles.ensure(folder);
    SystemClock clock = new SystemClock();
    CallSigner signer = CallSigner.ofCentralManager(KeyFiles.privateKey(folder));
    calls = new SignedCalls(new Stranger(), signer, clock);
    server =
        new WebServer(
            WebSettings.loopback(0),
            Callers.withoutNodes(
                new TokenVerifier(
                    KeyFiles.publicKey(folder.resolve(KeyFiles.PUBLIC)),
                    clock,
                    NodeIdentity.CENTRAL)),
            Health.always(),
            new Metrics("test", "t1"),
            new LogRoutes(bench.queries, bench.nodes, calls).routes());
    server.start();
    job = bench.submit(JobBench.command());
    bench.place();
  }

  @AfterEach
  void stop() {
    server.stop();
    bench.close();
  }

  @Test
  void aLogThatAnotherServerRefusesIsUnreachableAndTheReaderIsNotRefused() {
    unreachable(this::readLog);
  }

  @Test
  void theStateOfAJobWithoutALogIsInWords() throws Exception {
    long waiting = bench.submit(JobBench.command().draft().hold(true).spec());
    String token =
        new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock())
            .issue(ANN, Optional.empty());
    HttpTransport.HttpCall log =
        HttpTransport.HttpCall.get(server.address().resolve("/v1/jobs/" + waiting + "/logs"))
            .with("Authorization", "Bearer " + token);
    assertThatThrownBy(() -> new JdkTransport().send(log).orThrow())
        .hasMessageContaining("job " + waiting + " is held and has not been started yet");
  }

  @Test
  void anOutputFromBeforeARestorationIsNotInTheBackup() throws Exception {
    answers =
        () -> {
          throw new MillraceException(ErrorCode.UNKNOWN_ATTEMPT, "it is not on this node");
        };
    assertThatThrownBy(this::readLog).hasMessage("it is not on this node");

    Instant restoredAt = Instant.parse("2026-03-01T12:00:00Z");
    bench.database.transaction(
        handle -> {
          new RestorationDao()
              .insert(handle, new Restoration("b", restoredAt, restoredAt, job, 1, restoredAt));
          return null;
        });
    assertThatThrownBy(this::readLog)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_ATTEMPT))
        .hasMessageContaining("restored at 2026-03-01T12:00:00Z")
        .hasMessageContaining("backups contain no output of jobs")
        .hasMessageContaining("attempts/" + job + ".1");
  }

  private void readLog() throws IOException {
    String token =
        new TokenIssuer(KeyFiles.privateKey(folder), new SystemClock())
            .issue(ANN, Optional.empty());
    HttpTransport.HttpCall log =
        HttpTransport.HttpCall.get(server.address().resolve("/v1/jobs/" + job + "/logs"))
            .with("Authorization", "Bearer " + token);
    new JdkTransport().send(log).orThrow();
  }

  @Test
  void chunksThatAnotherServerRefusesAreUnreachable() {
    LoggedOutput output = new LoggedOutput(bench.queries, bench.nodes, calls, ANN);
    unreachable(() -> output.lines(job));
  }

  /** As much as one execution node may send if it does not end. */
  @Test
  void chunksOfAnAnswerWithoutEndAreRefused() throws Exception {
    AtomicBoolean cutOff = new AtomicBoolean();
    HttpServer endless =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    endless.createContext("/", exchange -> answerAtLength(exchange, cutOff));
    endless.start();
    try {
      URI address = URI.create("http://127.0.0.1:" + endless.getAddress().getPort());
      SignedCalls toEndless =
          new SignedCalls(
              new Redirected(address),
              CallSigner.ofCentralManager(KeyFiles.privateKey(folder)),
              new SystemClock());
      LoggedOutput output = new LoggedOutput(bench.queries, bench.nodes, toEndless, ANN);
      assertThatThrownBy(() -> output.lines(job))
          .isInstanceOfSatisfying(
              MillraceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
          .hasMessageContaining("printed more than");
      await().atMost(Duration.ofSeconds(30)).untilTrue(cutOff);
    } finally {
      endless.stop(0);
    }
  }

  private static void answerAtLength(HttpExchange exchange, AtomicBoolean cutOff)
      throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, 0);
      byte[] piece = "chunk\n".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
      for (long sent = 0; sent < 48L << 20; sent += piece.length) {
        exchange.getResponseBody().write(piece);
      }
    } catch (IOException closed) {
      cutOff.set(true);
    }
  }

  /** Sends all calls to one address, except those for nonces. */
  private record Redirected(URI address) implements HttpTransport {
    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      return call.uri().getPath().equals("/v1/nonce")
          ? new HttpAnswer(200, Map.of(), Json.writeBytes(Map.of("nonce", "n")))
          : new JdkTransport().send(call.at(address));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException();
    }
  }

  private static void unreachable(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
        .hasMessageContaining("a token is required");
  }
}
