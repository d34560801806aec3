package io.millrace.manager.deletion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.pacing.Breaker;
import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.QueueManagerSupervision;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.manager.weight.WeightPlacement;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueRemovalTest {
  private static final String ALERT =
      """
      kind: queue
      name: alert
      worker:
        command: [cat]
      """;

  private static final String OPEN_BREAKER =
      Json.write(new Breaker(List.of(), Instant.EPOCH, "all failed", null, null, 0, 0, List.of()));

  /** Every table with a row for each queue in force. */
  private static final List<String> LIVE_TABLES =
      List.of(
          "queue_weight",
          "queue_slot",
          "queue_control",
          "breaker",
          "pacing_state",
          "pacing_rate",
          "place_allowance",
          "worker_total");

  /** Tables whose rows end with jobs, by age, or when a node's next report has no such segment. */
  private static final List<String> OTHER_TABLES =
      List.of(
          "job",
          "job_ready",
          "booking",
          "job_total",
          "job_total_change",
          "queue_sample",
          "decision",
          "weight_history",
          "balancing_move",
          "pacing_override",
          "usage_day",
          "usage_change",
          "dead_letter_count");

  @TempDir Path folder;
  private QueueWorld world;
  private QueueManagerSupervision supervision;
  private WeightPlacement placement;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    supervision =
        new QueueManagerSupervision(
            world.database, world.queues, world.weights, world.nodes, world.ledger);
    placement =
        new WeightPlacement(
            world.database, "c1", world.weights, world.queues, world.queueNodes, (queue, holder, request) -> {}, () -> {});
    world.apply(ALERT);
    employ();
  }

  /** An execution node that takes jobs of the default pool. */
  private void employ() {
    new ExecutionNodes(
            world.database, world.registry, world.ledger.nodeAttempts(), Heartbeat.defaults())
        .register(JobBench.registration(JobBench.E1, "e1", 8), JobBench.number());
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void everyTableThatNamesQueuesIsEmptiedOrListedWithWhatEndsItsRows() {
    List<String> tables =
        world.database.read(
            handle ->
                handle
                    .createQuery(
                        """
                        select lower(table_name)
                        from information_schema.columns
                        where lower(column_name) = 'queue' and table_schema = 'PUBLIC'
                        """)
                    .mapTo(String.class)
                    .list());
    assertThat(tables)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(LIVE_TABLES.stream(), OTHER_TABLES.stream()).toList());
  }

  @Test
  void withEventsItIsRefusedWithTheCountsAndBothOptions() {
    world.report("q1", holding(10, 2, 1));
    assertThatThrownBy(() -> delete(null))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("10 waiting events, 2 events that workers have, 1 dead letter")
        .hasMessageContaining("--drain")
        .hasMessageContaining("--discard");
    assertThat(world.queues.find("alert")).isPresent();
    assertThat(world.removal.followed()).isEmpty();
  }

  @Test
  void anEmptyQueueIsDeletedWithEverythingButItsHistory() {
    world.reports("q1");
    fillTables();
    assertThat(filled()).containsExactlyElementsOf(LIVE_TABLES);

    assertThat(delete(null).state()).isEqualTo(DeletionState.DELETING);
    world.reportClosed("q1", closed(1, true));
    finish();

    assertThat(world.queues.find("alert")).isEmpty();
    assertThat(world.definitions.inForce()).isEmpty();
    assertThat(filled()).isEmpty();
    assertThat(world.ledger.liveManagers()).isEmpty();
    assertThat(world.forgotten).contains("queue:alert", "manager:alert");
    assertThat(world.deletions.problems()).isEmpty();
    assertThat(world.definitions.version("queue", "alert", 1).inForce()).isFalse();
    assertThat(count("weight_history")).isEqualTo(1);
    assertThatThrownBy(() -> delete(null)).hasMessageContaining("was deleted by ann");
  }

  @Test
  void whileItDrainsWorkersAndManagersGoOnUntilEveryNodeHasRemovedItsSegment() {
    world.reports("q1", "q2");
    world.weigh("alert", Map.of("q1", 1000));
    world.report("q1", holding(3, 0, 0));
    supervision.supervise();
    delete(DeletionMode.DRAIN);
    world.reportClosed("q1", closed(1, false), holding(3, 0, 0));
    world.reportClosed("q2", closed(1, true));
    advance();

    assertThat(world.removal.followed())
        .containsExactly(new QueueDeletion("alert", 1, DeletionMode.DRAIN, false));
    assertThat(world.ledger.liveManagers()).hasSize(1);
    assertThat(inProgress().waitsFor())
        .anyMatch(line -> line.startsWith("3 events to be processed"));

    world.reportClosed("q1", closed(1, true));
    finish();
    assertThat(world.queues.find("alert")).isEmpty();
    assertThat(world.removal.followed())
        .containsExactly(new QueueDeletion("alert", 1, DeletionMode.DRAIN, true));
  }

  @Test
  void aDrainThatNothingDrainsSaysWhatIsMissingAndHowToGoOn() {
    world.report("q1", holding(3, 0, 0));
    assertThat(delete(DeletionMode.DRAIN).waitsFor()).contains("3 events to be processed");

    world.controls.pause("alert", new PauseRequest(false, true, "test"), "ann");
    assertThat(inProgress().waitsFor())
        .contains(
            "3 events to be processed, but consuming is paused: resume it with 'millrace queue resume alert', or drop the events with 'millrace delete queue alert --discard'");
  }

  @Test
  void aDrainThatSeveralThingsHoldUpNamesThemAllEachWithTheWayOn() {
    world.report("q1", holding(3, 0, 0));
    delete(DeletionMode.DRAIN);
    world.controls.pause("alert", new PauseRequest(false, true, "test"), "ann");
    world.database.transaction(
        handle -> {
          handle.execute("insert into breaker values ('alert', true, true, ?)", OPEN_BREAKER);
          return handle.execute("update node set accepting = false where name = 'e1'");
        });
    assertThat(inProgress().waitsFor())
        .contains(
            "3 events to be processed, but consuming is paused: resume it with 'millrace queue resume alert',"
                + " and its workers fail, so that only probes are started: 'millrace queue logs alert --failed' shows why,"
                + " and no execution node of pool default takes jobs: start or undrain one,"
                + " or drop the events with 'millrace delete queue alert --discard'");

    world.report("q1", holding(0, 3, 0));
    assertThat(inProgress().waitsFor())
        .as("of events that workers have")
        .contains("3 events to be processed");
  }

  @Test
  void aDrainOfAQueueWithoutWorkersThatIsPausedNamesBoth() {
    world.apply("kind: queue\nname: pulled\n");
    world.report("q1", holding("pulled", 2, 0, 0, 0));
    world.controls.pause("pulled", new PauseRequest(false, true, "test"), "ann");
    DeletionRequest drain = new DeletionRequest(DeletionMode.DRAIN, false);
    assertThat(world.deletions.delete("queue", "pulled", drain, "ann").waitsFor())
        .anyMatch(
            line ->
                line.contains("consuming is paused") && line.contains("the queue has no worker"));
  }

  @Test
  void aDrainOfAQueueWithoutWorkersWaitsWaitsForAProgramThatTakesItsEvents() {
    world.apply("kind: queue\nname: pulled\n");
    world.report("q1", holding("pulled", 2, 0, 0, 0));
    DeletionRequest drain = new DeletionRequest(DeletionMode.DRAIN, false);
    assertThat(world.deletions.delete("queue", "pulled", drain, "ann").waitsFor())
        .contains(
            "2 events to be processed, but the queue has no worker: start a program that takes its events, or drop the events with 'millrace delete queue pulled --discard'");
  }

  @Test
  void itWaitsForANodeThatIsDownAndNamesItUntilTheNodeIsRemoved() {
    world.reports("q1", "q2");
    delete(null);
    world.reportClosed("q1", closed(1, true));
    world.silence("q2", Duration.ofMinutes(5));
    advance();
    assertThat(inProgress().state()).isEqualTo(DeletionState.DELETING);
    assertThat(inProgress().waitsFor())
        .singleElement()
        .asString()
        .contains("queue node q2", "silent", "millrace node forget q2");

    world.pass("definition_deletion", "said_at", Duration.ofMinutes(2));
    assertThat(world.deletions.problems())
        .extracting(Alert::code, Alert::subject)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("DELETION_WAITS", "alert"));

    world.queueNodes.forget("q2", (handle, node) -> node);
    finish();
    assertThat(world.queues.find("alert")).isEmpty();
  }

  @Test
  void discardingStopsWorkersAtOnceAndSaysHowManyEventsItDrops() {
    world.reports("q1");
    world.weigh("alert", Map.of("q1", 1000));
    world.report("q1", holding(10, 2, 1));
    List<Long> workers = submitWorkers(2);
    DeletionView begun = delete(DeletionMode.DISCARD);
    assertThat(begun.dropped()).isEqualTo(13);
    assertThat(begun.state()).isEqualTo(DeletionState.ENDING);
    advance();
    assertThat(world.workers("alert"))
        .filteredOn(job -> workers.contains(job.id()))
        .allMatch(job -> job.state().ended());
    world.reportClosed("q1", closed(1, true));
    finish();
    assertThat(world.queues.find("alert")).isEmpty();
  }

  @Test
  void aDrainCanBecomeADiscardButNotTheOtherWay() {
    world.report("q1", holding(5, 0, 0));
    assertThat(delete(DeletionMode.DRAIN).mode()).isEqualTo(DeletionMode.DRAIN);
    assertThat(delete(null).mode()).isEqualTo(DeletionMode.DRAIN);
    DeletionView discarding = delete(DeletionMode.DISCARD);
    assertThat(discarding.mode()).isEqualTo(DeletionMode.DISCARD);
    assertThat(discarding.dropped()).isEqualTo(5);
    assertThat(delete(DeletionMode.DRAIN).mode()).isEqualTo(DeletionMode.DISCARD);
  }

  @Test
  void noWorkerIsStartedOnceTheQueueIsEnding() {
    world.reports("q1");
    world.weigh("alert", Map.of("q1", 1000));
    var manager = world.runManager("alert", "q1");
    delete(DeletionMode.DISCARD);
    assertThatThrownBy(
            () ->
                world.record(
                    "alert",
                    "q1",
                    new PacingRecord(manager, 3, "demand", Gate.NONE.name(), "", Map.of(), null)))
        .hasMessageContaining("alert");
    assertThat(world.waiting("alert")).isEmpty();
  }

  @Test
  void aQueueBeingDeletedIsNotAppliedAndADeletedOneContinuesItsVersions() {
    world.reports("q1");
    world.weigh("alert", Map.of("q1", 1000));
    delete(null);
    assertThatThrownBy(() -> world.apply(ALERT))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("is being deleted")
        .hasMessageContaining("apply it again");
    world.reportClosed("q1", closed(1, true));
    finish();

    ApplyChange again = world.apply(ALERT).changes().get(0);
    assertThat(again.action()).isEqualTo(ApplyAction.CREATED);
    assertThat(again.version()).isEqualTo(2);
    placement.place();
    assertThat(world.weights.find("alert").orElseThrow().version()).isEqualTo(2);

    delete(null);
    world.reportClosed("q1", closed(2, true));
    finish();
    ApplyChange back =
        world.definitions.rollBack("queue", "alert", new RollbackRequest(null, false), "ann");
    assertThat(back.version()).isEqualTo(3);
    assertThat(world.queues.find("alert")).isPresent();
  }

  /** The database was restored from before the deletion, which the queue nodes remember. */
  @Test
  void theNextVersionIsAboveTheOneThatAQueueNodeRefusesAsDeleted() {
    world.reports("q1");
    world.reportClosed("q1", closed(3, true));
    assertThat(world.apply(ALERT + "labels: {a: b}\n").changes().get(0).version()).isEqualTo(4);

    RollbackRequest before = new RollbackRequest(null, false);
    assertThat(world.definitions.rollBack("queue", "alert", before, "ann").version()).isEqualTo(5);
    assertThat(world.apply(ALERT).changes().get(0).action()).isEqualTo(ApplyAction.UNCHANGED);
  }

  /** Confirmed for a version that was deleted meanwhile, and replaced by one with events. */
  @Test
  void aDeletionOfAnotherVersionThanTheExpectedOneIsRefused() {
    world.reports("q1");
    delete(DeletionMode.DRAIN);
    world.reportClosed("q1", closed(1, true));
    finish();
    world.apply(ALERT);
    world.report("q1", holding(10, 0, 0));

    assertThatThrownBy(() -> discard(1))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STALE_VERSION))
        .hasMessageContaining("queue alert has version 2, applied by ann")
        .hasMessageContaining("was made for version 1");
    assertThat(world.queues.find("alert")).isPresent();
    assertThat(world.deletions.inProgress("queue", "alert")).isEmpty();

    delete(DeletionMode.DRAIN);
    assertThatThrownBy(() -> discard(1)).hasMessageContaining("has version 2");
    assertThat(inProgress().mode()).isEqualTo(DeletionMode.DRAIN);
    assertThat(discard(2).mode()).isEqualTo(DeletionMode.DISCARD);
  }

  private DeletionView discard(int expected) {
    return world.deletions.delete(
        "queue", "alert", new DeletionRequest(DeletionMode.DISCARD, false, expected), "ann");
  }

  @Test
  void aClosureOfAnEarlierDeletionDoesNotCount() {
    world.reports("q1");
    delete(null);
    world.reportClosed("q1", closed(1, true));
    finish();
    world.apply(ALERT);
    delete(null);
    advance();
    advance();
    assertThat(world.queues.find("alert")).isPresent();
  }

  @Test
  void whatSomebodyAddsWhoReadTheQueueBeforeIsRemovedToo() {
    world.reports("q1");
    delete(null);
    world.reportClosed("q1", closed(1, true));
    finish();
    world.weigh("alert", Map.of("q1", 1000));
    advance();
    assertThat(world.weights.find("alert")).isEmpty();
  }

  /** The reports of queue nodes are up to a second old: what they do not say is drained. */
  @Test
  void withoutAnOptionAnEventThatWasAcceptedAfterTheLastReportsIsProcessedFirst() {
    world.reports("q1");
    world.weigh("alert", Map.of("q1", 1000));
    assertThat(delete(null).mode()).isEqualTo(DeletionMode.DRAIN);

    world.reportClosed("q1", closed(1, false), holding(1, 0, 0));
    finish();
    assertThat(inProgress().state()).isEqualTo(DeletionState.DELETING);
    assertThat(inProgress().waitsFor())
        .anyMatch(line -> line.startsWith("1 event to be processed"));
    assertThat(world.ledger.liveManagers()).as("managers that start its workers").hasSize(1);

    world.reportClosed("q1", closed(1, true));
    finish();
    assertThat(world.queues.find("alert")).isEmpty();
  }

  @Test
  void aDryRunChangesNothing() {
    world.report("q1", holding(5, 0, 0));
    DeletionView tried =
        world.deletions.delete(
            "queue", "alert", new DeletionRequest(DeletionMode.DISCARD, true), "ann");
    assertThat(tried.dropped()).isEqualTo(5);
    assertThat(world.removal.followed()).isEmpty();
    assertThatThrownBy(
            () -> world.deletions.delete("queue", "alert", new DeletionRequest(null, true), "ann"))
        .hasMessageContaining("5 waiting events");
  }

  @Test
  void aDryRunListsWhatTheQueueHolds() {
    world.report("q1", holding(5, 3, 2, 1));
    DeletionView tried = plan(DeletionMode.DRAIN);
    assertThat(tried.work())
        .containsExactly(
            "5 waiting events", "3 delayed events", "2 events that workers have", "1 dead letter");
    assertThat(tried.waitsFor()).isEmpty();

    assertThat(delete(DeletionMode.DRAIN).work()).isEmpty();
    assertThat(plan(DeletionMode.DRAIN).waitsFor())
        .as("of one in progress")
        .contains("10 events to be processed");
  }

  private DeletionView plan(DeletionMode mode) {
    return world.deletions.delete("queue", "alert", new DeletionRequest(mode, true), "ann");
  }

  private void fillTables() {
    world.weigh("alert", Map.of("q1", 1000));
    supervision.supervise();
    world.controls.pause("alert", new PauseRequest(true, true, "test"), "ann");
    world.runs("alert", "q1", false, 1);
    world.database.transaction(
        handle -> {
          handle.execute("insert into queue_slot values ('alert', 0, '[]')");
          handle.execute("insert into breaker values ('alert', true, true, '{}')");
          handle.execute(
              "insert into pacing_state (queue, node, state, decided_at, decisions, kept_gate, kept_at)"
                  + " values ('alert', 'q1', '{}', now(), 1, 'NONE', now())");
          handle.execute("insert into pacing_rate values ('alert', 'q1', 1, now())");
          handle.execute("insert into place_allowance values ('alert', 'q1', 1, 1, now(), 1, 0)");
          return null;
        });
  }

  private List<String> filled() {
    return LIVE_TABLES.stream().filter(table -> count(table) > 0).toList();
  }

  private int count(String table) {
    return world.database.read(
        handle -> handle.createQuery("select count(*) from " + table).mapTo(Integer.class).one());
  }

  private List<Long> submitWorkers(int count) {
    List<Long> before = world.workers("alert").stream().map(JobView::id).toList();
    var manager = world.runManager("alert", "q1");
    world.record(
        "alert",
        "q1",
        new PacingRecord(manager, count, "demand", Gate.NONE.name(), "", Map.of(), null));
    // Its node is of no interest here: it waits for another.
    world.ledger.liveManagers().forEach(job -> world.end(job, false));
    List<Long> after = new ArrayList<>(world.workers("alert").stream().map(JobView::id).toList());
    after.removeAll(before);
    return after;
  }

  private DeletionView delete(DeletionMode mode) {
    return world.deletions.delete("queue", "alert", new DeletionRequest(mode, false), "ann");
  }

  private DeletionView inProgress() {
    return world.deletions.inProgress("queue", "alert").orElseThrow();
  }

  private void advance() {
    world.deletions.advance();
    supervision.supervise();
  }

  private void finish() {
    for (int i = 0; i < 4; i++) {
      advance();
    }
  }

  private static SegmentFigures holding(long waiting, long leased, long dead) {
    return holding(waiting, 0, leased, dead);
  }

  private static SegmentFigures holding(long ready, long delayed, long leased, long dead) {
    return holding("alert", ready, delayed, leased, dead);
  }

  private static SegmentFigures holding(
      String queue, long ready, long delayed, long leased, long dead) {
    return new SegmentFigures(
        queue, "q1", 1000, 1, ready, delayed, leased, dead, 1, 0, ready, 0, 0, 0, 0, List.of(),
        null, null);
  }

  private static List<SegmentClosure> closed(int version, boolean removed) {
    return List.of(new SegmentClosure("alert", version, removed));
  }
}
