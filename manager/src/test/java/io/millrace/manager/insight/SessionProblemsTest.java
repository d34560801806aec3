package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.manager.weight.WeightPlacement;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures and problems of queues of sessions as operators see them. */
class SessionProblemsTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:10:00Z");

  private static final UUID WORKER = UUID.fromString("4b506bf6-0000-4000-8000-000000000001");

  @TempDir Path folder;
  private QueueWorld world;

  @BeforeEach
  void aQueueOfSessionsOnTwoNodes() {
    world = new QueueWorld(folder);
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order, heartbeat: 10s}}\n---\n"
            + "{kind: queue, name: alert}");
    world.reports("q1", "q2");
    new WeightPlacement(
            world.database,
            "c1",
            world.weights,
            world.queues,
            world.queueNodes,
            (queue, holder, request) -> {},
            () -> {})
        .place();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void theFiguresOfAllSegmentsAreAddedUpAndTheOldestEventCounts() {
    world.report("q1", segment("q1", sessions(1, 4)));
    world.report("q2", segment("q2", sessions(2, 9)));

    SessionFigures sum = view("orders").sessions();

    assertThat(sum.parked()).isEqualTo(3);
    assertThat(sum.workers()).isEqualTo(2);
    assertThat(sum.slots()).isEqualTo(1000);
    assertThat(sum.stalledSeconds()).isEqualTo(9);
    assertThat(view("orders").stallSeconds()).isEqualTo(30);
    assertThat(view("orders").waitTargetSeconds()).as("its workers are not paced by it").isNull();
    assertThat(view("alert").sessions()).isNull();
    assertThat(view("alert").awaited()).isNull();
  }

  @Test
  void aQueueWithoutTroubleHasNoProblem() {
    world.report("q1", segment("q1", sessions(0, 29)));

    assertThat(problems()).isEmpty();
  }

  @Test
  void parkedSessionsAreCountedWithWhatToDo() {
    world.report("q1", segment("q1", sessions(2, 0)));

    assertThat(problems())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.code()).isEqualTo("SESSIONS_PARKED");
              assertThat(alert.subject()).isEqualTo("orders");
              assertThat(alert.message())
                  .isEqualTo(
                      "2 sessions of queue orders wait for an operator, because an event failed too"
                          + " often; 'millrace session list orders --state parked' shows them, then"
                          + " move, close or drop them");
            });
  }

  @Test
  void fullSessionsAreCountedWithWhatEndsThem() {
    SessionFigures full =
        new SessionFigures(1, 2, 0, 1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 0, 1, 0, null);
    world.report("q1", segment("q1", full));

    assertThat(problems())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.code()).isEqualTo("SESSIONS_FULL");
              assertThat(alert.message())
                  .isEqualTo(
                      "1 session of queue orders has maxPerKey events, and further ones are"
                          + " refused until its worker reports a snapshot or completes it; 'millrace"
                          + " session list orders' shows it as full, 'millrace session close' or"
                          + " 'drop' ends it");
            });
  }

  @Test
  void aWorkerThatDoesNotAcknowledgeIsNamedByItsNodeOnceItsEventIsTooOld() {
    world.report("q1", segment("q1", sessions(0, 31)));
    world.report("q2", segment("q2", sessions(0, 3)));

    assertThat(problems())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.code()).isEqualTo("SESSION_WORKER_STALLED");
              assertThat(alert.message())
                  .startsWith(
                      "session worker 4b506bf6 of queue orders at q1 has not acknowledged an event"
                          + " for 31s")
                  .contains("'millrace session worker retire orders 4b506bf6'");
              assertThat(alert.since()).isEqualTo(NOW.minusSeconds(1));
            });
  }

  @Test
  void slotsThatWaitForALostNodeAreAProblemAndThoseThatMoveAreNot() {
    own(
        "[{'from':0,'to':99,'owner':{'node':'q1','epoch':2,'undrained':['q2']}},"
            + "{'from':100,'to':499,'owner':{'node':'q1','epoch':1,'undrained':[]}},"
            + "{'from':500,'to':999,'owner':{'node':'q2','epoch':1,'undrained':[]}}]");
    assertThat(view("orders").awaited()).containsExactly(Map.entry("q2", 100));
    assertThat(problems()).isEmpty();

    own(
        "[{'from':0,'to':499,'owner':{'node':'q1','epoch':2,'undrained':['q9','q2']}},"
            + "{'from':500,'to':999,'owner':{'node':'q2','epoch':1,'undrained':[]}}]");

    assertThat(problems())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.code()).isEqualTo("SLOTS_WAITING");
              assertThat(alert.message())
                  .contains("500 slots of queue orders wait for events that only q9 has")
                  .contains("'millrace queue-node rescue'")
                  .contains("'millrace node forget q9 --force'");
            });
  }

  @Test
  void aQueueThatGoesOnWithoutALostNodeWaitsForNobody() {
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order, heartbeat: 10s, ownerLost: continue}}");
    own(
        "[{'from':0,'to':499,'owner':{'node':'q1','epoch':2,'undrained':['q9']}},"
            + "{'from':500,'to':999,'owner':{'node':'q2','epoch':1,'undrained':[]}}]");

    assertThat(view("orders").awaited()).isNull();
    assertThat(problems()).isEmpty();
  }

  private void own(String slots) {
    world.database.transaction(
        handle ->
            handle.execute(
                "update queue_slot set slots = ? where queue = 'orders'",
                slots.replace('\'', '"')));
  }

  private List<Alert> problems() {
    List<QueueNodeView> nodes = world.nodes.all();
    return SessionProblems.of(nodes, world.catalog.views(), NOW);
  }

  private QueueView view(String queue) {
    return world.catalog.views().stream()
        .filter(one -> one.name().equals(queue))
        .findFirst()
        .orElseThrow();
  }

  private static SegmentFigures segment(String node, SessionFigures sessions) {
    return QueueWorld.segment("orders", node, 0, 0).withSessions(sessions);
  }

  private static SessionFigures sessions(long parked, double stalledSeconds) {
    return new SessionFigures(
        1, 2, parked, 1, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 0, 0, stalledSeconds, WORKER);
  }
}
