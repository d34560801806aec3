package io.millrace.tests.drill.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.NodeStatus;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.SqlSchema;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The database is read-only for a while, by default 60 s: longer than every lease and grace period;
 * {@code -Ddrill.readonly=PT5M} sets another duration.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class ReadOnlyDatabaseDrillTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Duration READ_ONLY =
      Duration.parse(System.getProperty("drill.readonly", "PT60S"));
  private static final Duration AFTERWARDS = Duration.ofSeconds(15);
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final String QUEUE =
      "{kind: queue, name: alert, worker: {command: ['true']}, minSegments: 2}";

  private DrillCluster cluster;

  @BeforeEach
  void start() throws Exception {
    Distribution.assumeBuilt();
    DatabaseSettings user = SCHEMA.ordinaryUser();
    SharedDatabase database = SharedDatabase.of(user.url(), user.user(), user.password());
    cluster =
        new DrillCluster(
            new Shape(1, 2, 1, 1, Optional.of(database)),
            new SplittableRandom(System.nanoTime()),
            Clocks.real(),
            name -> {});
    cluster.start();
  }

  @AfterEach
  void close() throws Exception {
    SCHEMA.readOnly(false);
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void noRunningJobIsLostAndNoWeightMoves() throws Exception {
    cluster.define("alert", QUEUE, 2);
    HeartbeatJob plain = new HeartbeatJob(cluster.folder(), "plain");
    HeartbeatJob single = new HeartbeatJob(cluster.folder(), "single");
    CentralClient central = cluster.central("c1");
    long plainId = running(central, plain.draft());
    long singleId =
        running(central, single.draft().single("nightly").failover(READ_ONLY.multipliedBy(5)));
    Map<String, Integer> weights = weights(central);

    SCHEMA.readOnly(true);
    await("the database is read-only for a while")
        .during(READ_ONLY)
        .atMost(READ_ONLY.plus(LONG))
        .untilAsserted(() -> assertThat(weights(central)).isEqualTo(weights));
    SCHEMA.readOnly(false);

    await("all nodes report again").atMost(LONG).untilAsserted(() -> allLive(central));
    await("no node is lost afterwards")
        .during(AFTERWARDS)
        .atMost(AFTERWARDS.plus(LONG))
        .untilAsserted(
            () -> {
              assertThat(weights(central)).isEqualTo(weights);
              assertThat(central.job(plainId).job().attempt()).isEqualTo(1);
              assertThat(central.job(singleId).job().attempt()).isEqualTo(1);
            });
    assertThat(central.balancingDecisions("alert", null, 10))
        .extracting(BalancingDecisionView::kind)
        .containsExactly(BalancingKind.FIRST);
    plain.end();
    single.end();
    for (long id : new long[] {plainId, singleId}) {
      JobView ended = central.await(id, LONG);
      assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
      assertThat(ended.attempt()).isEqualTo(1);
    }
    assertThat(plain.starts()).isEqualTo(1);
    assertThat(single.starts()).isEqualTo(1);
  }

  private static void allLive(CentralClient central) {
    assertThat(central.overview().queueNodes()).hasSize(2).allMatch(QueueNodeView::live);
    assertThat(central.executionNodes())
        .extracting(ExecutionNodeView::status)
        .containsExactly(NodeStatus.ACTIVE);
  }

  private static Map<String, Integer> weights(CentralClient central) {
    return central.queue("alert").segments().stream()
        .collect(Collectors.toMap(one -> one.node(), one -> one.weight()));
  }

  private static long running(CentralClient central, JobDraft draft) {
    long id = central.submit(draft.spec()).id();
    await().atMost(LONG).until(() -> central.job(id).job().state() == JobState.RUNNING);
    return id;
  }
}
