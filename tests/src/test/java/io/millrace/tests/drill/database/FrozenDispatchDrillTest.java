package io.millrace.tests.drill.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.NodeStatus;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.tests.drill.cluster.Clocks;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.cluster.KeepFilesOnFailure;
import io.millrace.tests.drill.cluster.Shape;
import io.millrace.tests.drill.cluster.SharedDatabase;
import io.millrace.tests.drill.network.StatementHold;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.server.SqlSchema;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The dispatching central manager is frozen in the middle of its transaction, by default for 40 s;
 * {@code -Ddrill.freeze=PT2M} is the long form.
 */
@Tag("drill")
@ExtendWith(KeepFilesOnFailure.class)
class FrozenDispatchDrillTest {
  @RegisterExtension static final SqlSchema SCHEMA = new SqlSchema();

  private static final Duration FREEZE =
      Duration.parse(System.getProperty("drill.freeze", "PT40S"));
  private static final Duration NEXT_START = Duration.ofSeconds(15);
  private static final Duration LONG = Duration.ofMinutes(3);

  private DrillCluster cluster;

  @BeforeEach
  void start() throws Exception {
    Distribution.assumeBuilt();
    SharedDatabase database = SharedDatabase.of(SCHEMA.url(), SCHEMA.user(), SCHEMA.password());
    cluster =
        new DrillCluster(
            Shape.ofJobs(2, 2, Optional.of(database)),
            new SplittableRandom(System.nanoTime()),
            Clocks.real(),
            name -> {});
    cluster.start();
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void anotherManagerTakesOverWithin15SecondsAndNoRunningJobIsLost() throws Exception {
    HeartbeatJob single = new HeartbeatJob(cluster.folder(), "single");
    HeartbeatJob plain = new HeartbeatJob(cluster.folder(), "plain");
    long singleId = running(single.draft().single("nightly"));
    long plainId = running(plain.draft());
    Map<String, StatementHold> holds = new LinkedHashMap<>();
    for (String name : cluster.shape().centralNames()) {
      StatementHold hold =
          StatementHold.after("'dispatch:default'.* for update", "insert into attempt");
      holds.put(name, hold);
      cluster.links().get(name + ">database").hold(hold);
    }
    HeartbeatJob caught = new HeartbeatJob(cluster.folder(), "caught");
    long caughtId = cluster.central("c2").submit(caught.draft().spec()).id();
    String frozen =
        await("a dispatch is held").atMost(LONG).until(() -> held(holds), name -> name != null);
    String healthy = frozen.equals("c1") ? "c2" : "c1";
    cluster.process(frozen).freeze();
    long began = System.nanoTime();
    holds.values().forEach(StatementHold::release);

    HeartbeatJob next = new HeartbeatJob(cluster.folder(), "next");
    CentralClient central = cluster.central(healthy);
    central.submit(next.draft().spec());
    await("the next job starts").atMost(LONG).until(() -> next.starts() == 1);
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    System.out.printf("%s frozen in its dispatch: the next job started after %s%n", frozen, took);
    assertThat(took).isLessThan(NEXT_START);
    await("nothing is lost while it is frozen")
        .during(FREEZE.minus(took))
        .atMost(FREEZE.plus(LONG))
        .untilAsserted(() -> healthy(central));

    cluster.process(frozen).thaw();
    CentralClient thawed = cluster.central(frozen);
    await("both managers give the same answer")
        .atMost(LONG)
        .ignoreExceptions()
        .untilAsserted(() -> healthy(thawed));
    for (HeartbeatJob one : new HeartbeatJob[] {single, plain, caught, next}) {
      one.end();
    }
    for (long id : new long[] {singleId, plainId, caughtId}) {
      JobView ended = thawed.await(id, LONG);
      assertThat(ended.state()).isEqualTo(JobState.SUCCEEDED);
      assertThat(ended.attempt()).as("%s", thawed.job(id)).isEqualTo(1);
    }
    for (HeartbeatJob one : new HeartbeatJob[] {single, plain, caught, next}) {
      assertThat(one.starts()).isEqualTo(1);
    }
  }

  private static String held(Map<String, StatementHold> holds) throws InterruptedException {
    for (Map.Entry<String, StatementHold> one : holds.entrySet()) {
      if (one.getValue().await(Duration.ZERO)) {
        return one.getKey();
      }
    }
    return null;
  }

  private static void healthy(CentralClient central) {
    assertThat(central.executionNodes())
        .extracting(ExecutionNodeView::status)
        .containsExactly(NodeStatus.ACTIVE, NodeStatus.ACTIVE);
    assertThat(central.jobs("").jobs()).allSatisfy(job -> assertThat(job.attempt()).isLessThan(2));
  }

  private long running(JobDraft draft) {
    CentralClient central = cluster.central("c1");
    long id = central.submit(draft.spec()).id();
    await().atMost(LONG).until(() -> central.job(id).job().state() == JobState.RUNNING);
    return id;
  }
}
