package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.NodeStatus;
import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.FigureSample;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.insight.QueueRetention;
import io.millrace.manager.pacing.QueueManagerSupervision;
import io.millrace.manager.sample.FigureHistories;
import io.millrace.manager.sample.SampleDao;
import io.millrace.manager.sample.SampleDao.SampleRow;
import io.millrace.manager.sample.SampledKind;
import io.millrace.manager.weight.WeightPlacement;
import io.millrace.manager.weight.WeightService;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueSideDutiesTest {
  private static final String ALERT = "{kind: queue, name: alert, worker: {command: ['true']}}";

  @TempDir Path folder;
  private QueueWorld world;
  private WeightPlacement placement;
  private QueueManagerSupervision supervision;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    placement =
        new WeightPlacement(
            world.database,
            "c1",
            world.weights,
            world.queues,
            world.queueNodes,
            (queue, holder, request) -> {},
            world.changes::incrementAndGet);
    supervision =
        new QueueManagerSupervision(
            world.database, world.queues, world.weights, world.nodes, world.ledger);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void queuesGetPointsWithTheFirstLiveNodeAndTheirMinimumWithTheSecond() {
    world.apply(ALERT);
    placement.place();
    assertThat(world.weights.all()).isEmpty();

    world.report("q1");
    placement.place();
    assertThat(world.weights.all()).containsExactly(row(1, Map.of("q1", 1000)));

    world.report("q2");
    placement.place();
    placement.place();
    assertThat(world.weights.all()).containsExactly(row(2, Map.of("q1", 500, "q2", 500)));
  }

  @Test
  void severalQueuesAreSpreadOverTheNodes() {
    world.report("q1");
    world.report("q2");
    world.apply(
        "{kind: queue, name: a, minSegments: 1}\n---\n{kind: queue, name: b, minSegments: 1}");
    placement.place();

    assertThat(world.weights.all())
        .extracting(QueueWeights::points)
        .containsExactly(Map.of("q1", 1000), Map.of("q2", 1000));
  }

  @Test
  void silentOrDrainedNodesGetNoPointsAndCapableNodesComeFirst() {
    world.reports("q1", "q2", "q3");
    world.report("q4", 0.25, 0.1);
    world.report("q5", 2, 0.1);
    world.queueNodes.command("q1", NodeStatus.DRAINING, null, null);
    world.queueNodes.command("q2", NodeStatus.MAINTENANCE, Duration.ofMinutes(5), null);
    world.silence("q3", Duration.ofSeconds(11));
    world.apply("{kind: queue, name: a, minSegments: 1}");
    placement.place();
    assertThat(world.weights.find("a").orElseThrow().points()).isEqualTo(Map.of("q5", 1000));

    world.apply("{kind: queue, name: b, minSegments: 2}");
    placement.place();
    assertThat(world.weights.find("b").orElseThrow().points())
        .isEqualTo(Map.of("q4", 112, "q5", 888));
  }

  @Test
  void firstAndRestoredPointsAreRecordedWithTheirReasons() {
    world.apply(ALERT);
    world.report("q1");
    placement.place();
    world.report("q2");
    placement.place();

    WeightService history =
        new WeightService(world.database, world.queues, world.queueNodes, () -> {});
    assertThat(history.decisions("alert", null, 10))
        .extracting(BalancingDecisionView::kind, BalancingDecisionView::reason)
        .containsExactly(
            tuple(BalancingKind.RESTORE, "alert has 1 of 2 segments: 500 points from q1 to q2"),
            tuple(BalancingKind.FIRST, "alert gets its first points: 1000 points to q1"));
    assertThat(history.weights("alert", Duration.ofMinutes(1)).history())
        .extracting(WeightChange::version, WeightChange::points)
        .containsExactly(tuple(1L, Map.of("q1", 1000)), tuple(2L, Map.of("q1", 500, "q2", 500)));
    assertThat(history.decisions(null, "q3", 10)).isEmpty();
    assertThat(history.decisions(null, "q2", 10)).hasSize(1);
  }

  @Test
  void decisionsAndVersionsOlderThanThirtyDaysAreForgottenButNotTheOneInForce() {
    world.apply(ALERT);
    world.report("q1");
    placement.place();
    world.report("q2");
    placement.place();
    world.database.transaction(
        handle -> {
          handle.execute("update weight_history set changed_at = '2020-01-01'");
          return handle.execute("update balancing_decision set decided_at = '2020-01-01'");
        });
    forget();

    WeightService history =
        new WeightService(world.database, world.queues, world.queueNodes, () -> {});
    assertThat(history.decisions(null, null, 10)).isEmpty();
    assertThat(history.weights("alert", Duration.ofMinutes(1)).history())
        .extracting(WeightChange::version)
        .containsExactly(2L);
    assertThat(
            world.database.<Integer, RuntimeException>read(
                handle ->
                    handle
                        .createQuery("select count(*) from balancing_move")
                        .mapTo(Integer.class)
                        .one()))
        .isZero();
  }

  @Test
  void everySegmentHasExactlyOneManagerAndKeepsIt() {
    world.apply(ALERT);
    world.weigh("alert", Map.of("q1", 500, "q2", 500));
    supervision.supervise();
    supervision.supervise();

    assertThat(world.ledger.liveManagers())
        .extracting(JobView::name)
        .containsExactlyInAnyOrder("pace:alert@q1", "pace:alert@q2");
    assertThat(world.catalog.details("alert").managers()).hasSize(2);
  }

  @Test
  void theManagerOfASegmentThatIsEmptyAndHasNoWeightEnds() {
    world.apply(ALERT);
    world.weigh("alert", Map.of("q1", 500, "q2", 500));
    world.report("q2", QueueWorld.segment("alert", "q2", 5, 5));
    supervision.supervise();
    world.reweigh("alert", Map.of("q1", 1000));

    supervision.supervise();
    assertThat(world.ledger.liveManagers()).hasSize(2);

    world.report("q2", QueueWorld.segment("alert", "q2", 0, 5));
    supervision.supervise();
    assertThat(world.ledger.liveManagers())
        .extracting(JobView::name)
        .containsExactly("pace:alert@q1");
  }

  @Test
  void theSegmentsOfALostNodeHaveNoManagerUntilItReturns() {
    world.apply(ALERT);
    world.weigh("alert", Map.of("q1", 1000));
    world.report("q2", QueueWorld.segment("alert", "q2", 5, 5));
    supervision.supervise();
    assertThat(world.ledger.liveManagers()).hasSize(2);

    world.database.transaction(
        handle -> handle.execute("update node set lost_at = '2026-01-01' where name = 'q2'"));
    supervision.supervise();
    assertThat(world.ledger.liveManagers())
        .extracting(JobView::name)
        .containsExactly("pace:alert@q1");

    world.report("q2", QueueWorld.segment("alert", "q2", 5, 5));
    supervision.supervise();
    assertThat(world.ledger.liveManagers()).hasSize(2);
  }

  @Test
  void timeToEmptyFollowsFromTheRatesAndBytesAndTroubleAreShown() {
    world.apply(ALERT);
    world.report("q1", figures(1_000, 100, 0, null));
    assertThat(world.catalog.views().get(0).secondsToEmpty()).isNull();
    Instant start = world.database.now().minusSeconds(60);
    sample(start);
    world.report("q1", figures(900, 200, 200, "the log is damaged at byte 17"));
    sample(start.plusSeconds(10));

    QueueView view = world.catalog.views().get(0);
    assertThat(view.secondsToEmpty()).isEqualTo(900 / (20.0 - 10.0));
    assertThat(view.bytes()).isEqualTo(4_096);
    assertThat(view.trouble()).isEqualTo("q1: the log is damaged at byte 17");

    world.report("q1", figures(0, 200, 200, null));
    assertThat(world.catalog.views().get(0).secondsToEmpty()).isZero();
    assertThat(world.catalog.views().get(0).trouble()).isNull();
  }

  private static SegmentFigures figures(
      long waiting, long inserted, long acknowledged, String trouble) {
    return new SegmentFigures(
        "alert",
        "q1",
        1000,
        1,
        waiting,
        0,
        0,
        0,
        1,
        4_096,
        inserted,
        0,
        acknowledged,
        0,
        0,
        List.of(),
        null,
        trouble);
  }

  @Test
  void aQueueWithoutAWorkerHasNoManager() {
    world.apply("{kind: queue, name: alert}");
    world.weigh("alert", Map.of("q1", 1000));
    supervision.supervise();

    assertThat(world.ledger.liveManagers()).isEmpty();
  }

  @Test
  void ratesComeFromTheDifferencesOfCountersAndAFallenCounterGivesNone() {
    world.apply(ALERT);
    world.weigh("alert", Map.of("q1", 1000));
    Instant start = world.database.now().minusSeconds(60);
    world.report("q1", QueueWorld.segment("alert", "q1", 4, 100));
    SampleRow first = sample(start);
    world.report("q1", QueueWorld.segment("alert", "q1", 6, 150));
    SampleRow second = sample(start.plusSeconds(5));
    world.report("q1", QueueWorld.segment("alert", "q1", 6, 3));
    SampleRow third = sample(start.plusSeconds(10));

    assertThat(List.of(first, second, third))
        .extracting(row -> row.sample().eventRate())
        .containsExactly(0.0, 10.0, 0.0);
    List<FigureSample> history = history("alert", Duration.ofMinutes(5));
    assertThat(history)
        .extracting(step -> step.figures().get(FigureHistory.WAITING).mean())
        .containsExactly(4.0, 6.0, 6.0);
    assertThat(history.get(1).weights()).isEqualTo(Map.of("q1", 1000));
    QueueView view = world.catalog.views().get(0);
    assertThat(view.waiting()).isEqualTo(6);
    assertThat(view.inserted()).isEqualTo(3);
  }

  @Test
  void samplesOlderThanADayAreForgottenAfterTheyWereAddedUp() {
    world.apply(ALERT);
    Instant now = world.database.now();
    for (int hours = 30; hours >= 0; hours -= 3) {
      sample(now.minus(Duration.ofHours(hours)));
    }
    forget();

    assertThat(stored()).isEqualTo(8);
    assertThat(history("alert", Duration.ofDays(9))).hasSize(11);
  }

  @Test
  void aSampleIsAddedForEveryQueue() {
    world.apply(ALERT + "\n---\n{kind: queue, name: order}");
    world.catalog.sample();

    for (String queue : List.of("alert", "order")) {
      assertThat(history(queue, Duration.ofMinutes(1))).hasSize(1);
    }
  }

  @Test
  void detailsShowTheSegmentsAsReported() {
    world.apply(ALERT);
    world.report(
        "q1", QueueWorld.segment("alert", "q1", 4, 100), QueueWorld.segment("order", "q1", 9, 9));
    QueueDetails details = world.catalog.details("alert");

    assertThat(details.segments()).hasSize(1);
    assertThat(details.queue().waiting()).isEqualTo(4);
    assertThat(details.definition().name()).isEqualTo("alert");
    assertThat(details.lastFailure()).isNull();
  }

  @Test
  void nothingIsDeletedOnceAnotherManagerHasTheDuty() {
    world.apply(ALERT);
    sample(world.database.now().minus(Duration.ofHours(30)));
    ClaimDao claims = new ClaimDao(world.database);
    Claim lost = claims.acquireOrRenew("forgetting", "c1", Duration.ofMinutes(1)).orElseThrow();
    claims.release("forgetting", "c1");
    claims.acquireOrRenew("forgetting", "c2", Duration.ofMinutes(1)).orElseThrow();

    new QueueRetention(world.database, claims).forget(lost);

    assertThat(stored()).isOne();
  }

  private long stored() {
    return world.database.read(
        handle -> handle.createQuery("select count(*) from queue_sample").mapTo(Long.class).one());
  }

  private List<FigureSample> history(String queue, Duration length) {
    return new FigureHistories(world.database)
        .of(SampledKind.QUEUE, queue, null, null, length)
        .samples();
  }

  private void forget() {
    ClaimDao claims = new ClaimDao(world.database);
    new QueueRetention(world.database, claims)
        .forget(claims.acquireOrRenew("forgetting", "c1", Duration.ofMinutes(1)).orElseThrow());
  }

  private SampleRow sample(Instant at) {
    SampleRow row = world.catalog.currentViews(world.nodes.all()).sample("alert", at);
    world.database.transaction(
        handle -> {
          SampleDao.add(handle, row);
          return null;
        });
    return row;
  }

  private static QueueWeights row(long version, Map<String, Integer> points) {
    return new QueueWeights("alert", version, points);
  }
}
