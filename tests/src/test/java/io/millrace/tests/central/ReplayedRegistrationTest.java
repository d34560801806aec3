package io.millrace.tests.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.executor.node.ExecutorNode;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.executor.run.LimitSettings;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A delayed registration that arrives after the node has registered again and runs a
 * single-instance job does not start that job twice.
 */
class ReplayedRegistrationTest {
  private static final Duration LONG = Duration.ofMinutes(3);

  @TempDir private Path folder;
  private final HeldUp transport = new HeldUp();
  private CentralManager manager;
  private ExecutorNode node;

  @BeforeEach
  void start() {
    manager =
        new CentralManager(
            CentralSettings.defaults().at(folder.resolve("c1"), WebSettings.loopback(0)),
            new SystemClock());
    manager.start();
    node =
        new ExecutorNode(
            ExecutorNodeSettings.of(
                    "e1",
                    folder.resolve("e1"),
                    List.of(manager.address()),
                    manager.tokens().resolve(KeyFiles.PUBLIC))
                .withLimits(LimitSettings.defaults().withUser(Optional.empty())),
            new ExecutorNode.Surroundings(
                transport, new SystemClock(), System.getenv(), List.of()));
    node.start();
    await().atMost(LONG).until(node::isRegistered);
  }

  @AfterEach
  void stop() {
    node.stop();
    manager.stop();
  }

  @Test
  void aSingleInstanceIsNotStartedTwice() throws IOException {
    Path starts = folder.resolve("starts");
    JobSpec single =
        JobDraft.command("sh", "-c", "echo $MILLRACE_ATTEMPT >> " + starts + "; sleep 600")
            .single("nightly")
            .spec();
    JobView job = operator().submit(single);
    await().atMost(LONG).until(() -> state(job) == JobState.RUNNING && Files.exists(starts));

    HttpAnswer late = transport.deliver();

    assertThat(late.status()).isEqualTo(409);
    assertThat(Json.read(late.body(), Problem.class).code())
        .isEqualTo(ErrorCode.STALE_REQUEST.name());
    // A placement caused by the late registration would have happened by now.
    JobView next = operator().submit(JobDraft.command("true").spec());
    assertThat(operator().await(next.id(), LONG).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(state(job)).isEqualTo(JobState.RUNNING);
    assertThat(Files.readAllLines(starts)).hasSize(1);
  }

  private JobState state(JobView job) {
    return operator().job(job.id()).job().state();
  }

  private CentralClient operator() {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), Role.OPERATOR));
    return new CentralClient(
        new ApiClient(new JdkTransport(), new Endpoints(List.of(manager.address())), () -> token));
  }

  /** Delays the first registration, as a frozen server does, and passes all other requests. */
  private static final class HeldUp implements HttpTransport {
    private final HttpTransport network = new JdkTransport();
    private final AtomicReference<HttpCall> held = new AtomicReference<>();

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      boolean registration =
          call.method().equals("POST") && call.uri().getPath().equals("/v1/execution-nodes");
      if (registration && held.compareAndSet(null, call)) {
        throw new IOException("no answer in time");
      }
      return network.send(call);
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      return network.stream(call);
    }

    HttpAnswer deliver() throws IOException {
      return network.send(held.get());
    }
  }
}
