package io.millrace.tests.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.WaitCode;
import io.millrace.api.node.AcceptedUsers;
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
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that run as root, and take or refuse jobs that name no user. */
class RefusedUsersTest {
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final LimitSettings REFUSING = LimitSettings.defaults();
  private static final LimitSettings TAKING = REFUSING.withUser(Optional.empty());

  @TempDir private Path folder;
  private final List<ExecutorNode> nodes = new ArrayList<>();
  private CentralManager manager;

  @BeforeEach
  void start() {
    assumeTrue(
        System.getProperty("user.name").equals("root"),
        "not run as root: agents take all jobs that name no user");
    manager =
        new CentralManager(
            CentralSettings.defaults().at(folder.resolve("c1"), WebSettings.loopback(0)),
            new SystemClock());
    manager.start();
  }

  @AfterEach
  void stop() {
    nodes.forEach(ExecutorNode::stop);
    if (manager != null) {
      manager.stop();
    }
  }

  @Test
  void jobsRunOnTheNodeThatTakesThemWithOneTryEach() {
    node("e1", REFUSING, new JdkTransport());
    node("e2", TAKING, new JdkTransport());
    for (int i = 0; i < 6; i++) {
      JobDetails ended = ended(submit());
      assertThat(ended.job().state()).isEqualTo(JobState.SUCCEEDED);
      assertThat(ended.attempts()).extracting(AttemptView::node).containsExactly("e2");
    }
  }

  @Test
  void aJobThatNoNodeTakesWaitsAndRunsWithOneTryOnceANodeTakesIt() {
    node("e1", REFUSING, new JdkTransport());
    long job = submit();
    awaitWaiting(job, WaitCode.NO_USER);
    assertThat(reason(job).words())
        .isEqualTo(
            "e1 runs no jobs that name no user: name one (runAs), or set limits.defaultUser or"
                + " limits.allowRoot there");
    assertThat(operator().job(job).attempts()).isEmpty();

    node("e2", TAKING, new JdkTransport());

    assertThat(ended(job).attempts()).extracting(AttemptView::node).containsExactly("e2");
  }

  @Test
  void aNodeThatAnnouncesNothingAndRefusesUsesUpNoTry() {
    node("e1", REFUSING, new Silent());
    long job = submit();
    awaitWaiting(job, WaitCode.QUICK_FAILURES);
    assertThat(reason(job).words())
        .startsWith("e1 takes no jobs that name no user until ")
        .contains("it refused one (this execution node runs as root and the job names no user");
    JobDetails waiting = operator().job(job);
    assertThat(waiting.attempts()).hasSize(1);
    assertThat(waiting.job().reason()).startsWith("refused by its node, not counted as a try: ");

    node("e2", TAKING, new JdkTransport());

    JobDetails ended = ended(job);
    assertThat(ended.job().state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(ended.attempts()).extracting(AttemptView::node).containsExactly("e1", "e2");
    assertThat(ended.attempts())
        .extracting(AttemptView::outcome)
        .containsExactly(Outcome.START_FAILED, Outcome.SUCCEEDED);
  }

  private void node(String name, LimitSettings limits, HttpTransport transport) {
    ExecutorNode node =
        new ExecutorNode(
            ExecutorNodeSettings.of(
                    name,
                    folder.resolve(name),
                    List.of(manager.address()),
                    manager.tokens().resolve(KeyFiles.PUBLIC))
                .withLimits(limits),
            new ExecutorNode.Surroundings(
                transport, new SystemClock(), System.getenv(), List.of()));
    nodes.add(node);
    node.start();
    await().atMost(LONG).until(node::isRegistered);
  }

  private long submit() {
    return operator().submit(JobDraft.command("true").name("job").spec()).id();
  }

  private JobDetails ended(long job) {
    operator().await(job, LONG);
    return operator().job(job);
  }

  private WaitReason reason(long job) {
    return operator().explain(job).reasons().get(0);
  }

  /** Waits until the job waits with this code: between two attempts it waits for nothing. */
  private void awaitWaiting(long job, WaitCode code) {
    await()
        .atMost(LONG)
        .until(
            () -> operator().explain(job).reasons().stream().findFirst().map(WaitReason::code),
            Optional.of(code)::equals);
  }

  private CentralClient operator() {
    return ApiNode.client(manager, Role.OPERATOR);
  }

  /** Registers as a node of the version before does, which announces no users. */
  private static final class Silent implements HttpTransport {
    private final HttpTransport network = new JdkTransport();

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      if (!call.uri().getPath().equals("/v1/execution-nodes")) {
        return network.send(call);
      }
      ObjectNode body = (ObjectNode) Json.mapper().readTree(call.body());
      ((ObjectNode) body.get("attributes"))
          .remove(List.of(AcceptedUsers.NAMED, AcceptedUsers.UNNAMED));
      return network.send(
          new HttpCall(
              call.method(),
              call.uri(),
              call.headers(),
              Json.writeBytes(body),
              call.timeout(),
              call.maxAnswer()));
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      return network.stream(call);
    }
  }
}
