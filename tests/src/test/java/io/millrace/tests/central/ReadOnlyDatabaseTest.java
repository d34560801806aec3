package io.millrace.tests.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.tests.server.SqlSchema;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A temporarily read-only database, as during a failover, is an outage: no node is declared lost.
 */
@Tag("drill")
@Timeout(180)
class ReadOnlyDatabaseTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Duration LONG = Duration.ofMinutes(3);
  private static final Duration LEASE = Duration.ofSeconds(4);

  private final AtomicLong reports = new AtomicLong();
  @TempDir private Path folder;
  private final ApiNode node = new ApiNode("e1");
  private CentralManager manager;
  private Connection direct;

  @BeforeEach
  void start() throws SQLException {
    SCHEMA.empty();
    direct = SCHEMA.connect();
    manager =
        new CentralManager(
            CentralSettings.defaults()
                .withDataDirectory(folder.resolve("c1"))
                .withTokensDirectory(Optional.of(folder.resolve("tokens")))
                .withWeb(WebSettings.loopback(0))
                .withDatabase(SCHEMA.ordinaryUser())
                .withHeartbeat(new Heartbeat(Duration.ofMillis(500), LEASE))
                .withQueues(new QueueSettings(null, LEASE.dividedBy(2), LEASE.dividedBy(2))),
            new SystemClock());
    manager.start();
  }

  @AfterEach
  void stop() throws SQLException {
    SCHEMA.readOnly(false);
    manager.stop();
    direct.close();
  }

  @Test
  void noNodeIsLostAndNoWeightMovesWhenTheDatabaseBecomesWritableAgain() throws Exception {
    node.register(manager);
    long job = submit();
    await().atMost(LONG).until(() -> node.poll(manager).contains(new AttemptId(job, 1)));
    node.reportStarts(manager);
    QueueWeights weights = weights();

    SCHEMA.readOnly(true);
    assertThatThrownBy(this::submit).isInstanceOf(MillraceException.class);
    // Much longer than leases and grace periods, by the server's clock.
    number("select sleep(10)");
    assertThat(client().job(job).job().state()).isEqualTo(JobState.RUNNING);
    SCHEMA.readOnly(false);
    // The duties that detect losses have run several times before the first node reports.
    await().atMost(LONG).until(() -> number("select count(*) from claim where " + LIVE) == 2);
    number("select sleep(0.5)");
    node.poll(manager);
    report();

    number("select sleep(1)");
    assertThat(number("select count(*) from node where retired_at is not null")).isZero();
    assertThat(number("select count(*) from node where lost_at is not null")).isZero();
    JobView after = client().job(job).job();
    assertThat(after.state()).isEqualTo(JobState.RUNNING);
    assertThat(number("select max(attempt_number) from attempt where job_id = " + job)).isOne();
    assertThat(topology()).isEqualTo(weights);
  }

  private static final String LIVE =
      "resource in ('expire-nodes', 'heal-weights') and expires_at > utc_timestamp(6)";

  private QueueWeights weights() {
    client()
        .apply(
            new ApplyRequest(
                List.of(
                    new SourceFile(
                        "test.yaml", "{kind: queue, name: alert, worker: {command: ['true']}}")),
                false));
    report();
    await()
        .atMost(LONG)
        .until(
            () -> {
              node.poll(manager);
              report();
              return topology() != null && topology().points().equals(Map.of("q1", 500, "q2", 500));
            });
    return topology();
  }

  private QueueWeights topology() {
    return ApiNode.client(manager, Role.VIEWER)
        .topology(null, Duration.ZERO)
        .orElseThrow()
        .weights()
        .stream()
        .findFirst()
        .orElse(null);
  }

  private void report() {
    for (String name : List.of("q1", "q2")) {
      new NodeClients(manager.tokens(), new JdkTransport())
          .of(manager.address(), Role.QUEUE_NODE, name)
          .report(
              new QueueNodeReport(
                  UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)),
                  name,
                  URI.create("http://127.0.0.1:1"),
                  new NodeLoad(NodeState.NORMAL, 0.1, 0.1, 0.1, null, "quiet"),
                  1,
                  1,
                  List.of(),
                  null),
              new RequestNumber(1, reports.incrementAndGet()));
    }
  }

  private long submit() {
    return client().submit(JobDraft.command("true").spec()).id();
  }

  private CentralClient client() {
    return ApiNode.client(manager, Role.OPERATOR);
  }

  private long number(String query) throws SQLException {
    try (Statement statement = direct.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      found.next();
      return found.getLong(1);
    }
  }
}
