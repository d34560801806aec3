package io.millrace.tests.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.PollAnswer.Assignment;
import io.millrace.api.node.PollAnswer.PollRequest;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.server.SqlSchema;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two equal central managers on one database server: each answers with what the other has stored.
 */
class TwoCentralManagersTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  /** Interval between scans without a wake-up. */
  private static final Duration SCAN_INTERVAL = Duration.ofMillis(500);

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final UUID EXECUTION_NODE = new UUID(1, 1);

  @TempDir private Path folder;
  private final JdkTransport transport = new JdkTransport();
  private final AtomicLong requests = new AtomicLong();
  private CentralManager one;
  private CentralManager two;

  /** Both start at once, in the first test on an empty schema: both try to create the tables. */
  @BeforeEach
  void start() throws SQLException {
    SCHEMA.clear();
    one = manager("c1");
    two = manager("c2");
    // As on several hosts, one creates the key pair and the others get a copy.
    KeyFiles.ensure(folder.resolve("tokens"));
    CompletableFuture<Void> second = CompletableFuture.runAsync(two::start);
    one.start();
    second.join();
  }

  @AfterEach
  void stop() {
    one.stop();
    two.stop();
  }

  private CentralManager manager(String name) {
    return new CentralManager(
        CentralSettings.defaults()
            .withName(name)
            .withDataDirectory(folder.resolve(name))
            .withTokensDirectory(Optional.of(folder.resolve("tokens")))
            .withWeb(WebSettings.loopback(0))
            .withDatabase(SCHEMA.settings()),
        new SystemClock());
  }

  @Test
  void nodesThatReportToOneManagerGetPointsThatTheOtherShows() {
    central(one, Role.OPERATOR)
        .apply(
            new ApplyRequest(
                List.of(
                    new SourceFile(
                        "test.yaml", "{kind: queue, name: alert, worker: {command: ['true']}}")),
                false));
    queueNode(one, "q1").report(queueNode("q1"), number());
    queueNode(two, "q2").report(queueNode("q2"), number());

    for (CentralManager manager : List.of(one, two)) {
      await()
          .atMost(LONG)
          .untilAsserted(
              () -> {
                Topology topology =
                    queueNode(manager, "q1").topology(null, Duration.ZERO).orElseThrow();
                assertThat(topology.weights())
                    .extracting(QueueWeights::points)
                    .containsExactly(Map.of("q1", 500, "q2", 500));
              });
      // A manager answers with an overview of up to a second ago.
      await()
          .atMost(LONG)
          .untilAsserted(
              () ->
                  assertThat(central(manager, Role.VIEWER).overview().queueNodes())
                      .extracting("name")
                      .containsExactlyInAnyOrder("q1", "q2"));
    }
  }

  @Test
  void aJobSubmittedToOneManagerRunsOnANodeThatPollsTheOther() {
    executionNode(one).register(registration(), number());
    JobView job = central(two, Role.OPERATOR).submit(command());

    Assignment assignment = polled(one).get(0);
    assertThat(assignment.attempt()).isEqualTo(new AttemptId(job.id(), 1));
    executionNode(two).report(EXECUTION_NODE, ended(assignment.attempt()));

    JobView ended = central(one, Role.OPERATOR).await(job.id(), LONG);
    assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(central(two, Role.OPERATOR).job(job.id()).job().state())
        .isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void manyJobsSubmittedToBothManagersAreEachStartedOnce() {
    executionNode(one).register(registration(), number());
    List<Long> submitted = new ArrayList<>();
    for (int round = 0; round < 10; round++) {
      submitted.add(central(one, Role.OPERATOR).submit(command()).id());
      submitted.add(central(two, Role.OPERATOR).submit(command()).id());
    }

    List<Long> started = new ArrayList<>();
    while (started.size() < submitted.size()) {
      for (CentralManager manager : List.of(one, two)) {
        for (Assignment assignment : polledNow(manager)) {
          started.add(assignment.attempt().job());
          executionNode(manager).report(EXECUTION_NODE, ended(assignment.attempt()));
        }
      }
    }
    assertThat(started).containsExactlyInAnyOrderElementsOf(submitted);
  }

  @Test
  void oneManagerContinuesWhenTheOtherStops() {
    executionNode(one).register(registration(), number());
    one.stop();

    JobView job = central(two, Role.OPERATOR).submit(command());

    assertThat(polled(two).get(0).attempt().job()).isEqualTo(job.id());
  }

  /**
   * The node polls one manager, the other accepts the job, and either may hold the claim: without
   * wake-ups between them, each job would wait for the next scan, every half second.
   */
  @Test
  void aJobSubmittedToOneManagerImmediatelyReachesANodePollingTheOther() {
    executionNode(one).register(registration(), number());
    List<Duration> direct = new ArrayList<>();
    List<Duration> across = new ArrayList<>();
    for (int round = 0; round < 40; round++) {
      direct.add(reaching(one));
      across.add(reaching(two));
    }
    direct.sort(null);
    across.sort(null);
    Duration reference = direct.get(direct.size() / 2);
    assertThat(across.get(across.size() / 2))
        .as("sorted times across %s, direct %s", across, direct)
        .isLessThan(reference.plus(SCAN_INTERVAL.dividedBy(2)));
  }

  /** The time from a submission until the node that polls the first manager receives the job. */
  private Duration reaching(CentralManager submittedTo) {
    CompletableFuture<Long> reached = CompletableFuture.supplyAsync(this::nextAtOne);
    long submitted = System.nanoTime();
    central(submittedTo, Role.OPERATOR).submit(command());
    return Duration.ofNanos(reached.join() - submitted);
  }

  private Long nextAtOne() {
    PollRequest patient = new PollRequest(List.of(), LONG, true, null);
    List<Assignment> start = List.of();
    while (start.isEmpty()) {
      start = executionNode(one).poll(EXECUTION_NODE, patient, number()).start();
    }
    long now = System.nanoTime();
    executionNode(one).report(EXECUTION_NODE, ended(start.get(0).attempt()));
    return now;
  }

  private List<Assignment> polled(CentralManager manager) {
    return await().atMost(LONG).until(() -> polledNow(manager), start -> !start.isEmpty());
  }

  private List<Assignment> polledNow(CentralManager manager) {
    PollRequest request = new PollRequest(List.of(), Duration.ofMillis(500), true, null);
    return executionNode(manager).poll(EXECUTION_NODE, request, number()).start();
  }

  private CentralClient queueNode(CentralManager manager, String name) {
    return nodes().of(manager.address(), Role.QUEUE_NODE, name);
  }

  private CentralClient executionNode(CentralManager manager) {
    return nodes().of(manager.address(), Role.EXECUTION_NODE, "e1", EXECUTION_NODE);
  }

  private NodeClients nodes() {
    return new NodeClients(folder.resolve("tokens"), transport);
  }

  private RequestNumber number() {
    return new RequestNumber(1, requests.incrementAndGet());
  }

  private static NodeRegistration registration() {
    return new NodeRegistration(
        EXECUTION_NODE,
        "e1",
        URI.create("http://127.0.0.1:1"),
        NodeCapacity.ofSlots(4),
        List.of("default"),
        Map.of(),
        null,
        List.of());
  }

  private static JobSpec command() {
    return JobDraft.command("true").spec();
  }

  private static ReportRequest ended(AttemptId attempt) {
    return new ReportRequest(
        List.of(AttemptReport.ended(attempt, AttemptResult.of(Outcome.SUCCEEDED, null), 10, 0)));
  }

  private static QueueNodeReport queueNode(String name) {
    return new QueueNodeReport(
        UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
        name,
        URI.create("http://127.0.0.1:1"),
        new NodeLoad(NodeState.NORMAL, 0.1, 0.1, 0.1, null, "quiet"),
        1,
        1,
        List.of(),
        null);
  }

  private CentralClient central(CentralManager manager, Role role) {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), role));
    return new CentralClient(
        new ApiClient(transport, new Endpoints(List.of(manager.address())), () -> token));
  }
}
