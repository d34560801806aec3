package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Json;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.job.JobSpec;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.SourceDefinition;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.WorkerDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.api.queue.WorkerDefinition.WorkerModel;
import io.millrace.api.queue.WorkerDefinitionBuilder;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.manager.pacing.QueueManagerProgram.SegmentPacer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QueueManagerProgramTest {
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final FakeCluster cluster = new FakeCluster();
  private final SegmentPacer pacer = new SegmentPacer(cluster, new PacingRounds(), "alert", "q1");

  @BeforeEach
  void aQueueOfFiftyEventsABatch() {
    cluster.view = view(null);
    cluster.figures = waiting(500, 500);
  }

  @Test
  void executionNodesFindTheProgramByItsName() {
    assertThat(ServiceLoader.load(BuiltinProgram.class))
        .anyMatch(program -> program.name().equals("queue-manager"));
  }

  @Test
  void workersForWaitingEventsAreRecordedWithTheAttemptAndTheReason() throws InterruptedException {
    assertThat(pacer.tick()).contains(TICK);

    PacingRecord record = cluster.records.get(0);
    assertThat(record.start()).isEqualTo(10);
    assertThat(record.attempt()).isEqualTo(cluster.attempt());
    assertThat(record.policy()).isEqualTo("demand");
    assertThat(record.gate()).isEqualTo("NONE");
    assertThat(record.inputs()).containsEntry("waiting", 500.0);
    assertThat(cluster.printed)
        .hasSize(1)
        .first()
        .asString()
        .startsWith("starting 10: 500 waiting");
  }

  @Test
  void workersOnTheirWayAreNotSubmittedAgain() throws InterruptedException {
    pacer.tick();
    cluster.nanos += TICK.toNanos();
    pacer.tick();

    assertThat(cluster.records).extracting(PacingRecord::start).containsExactly(10, 0);
  }

  @Test
  void whileConsumingIsPausedItRecordsWhoPausedItAndLearnsNothingFromTheBacklog()
      throws InterruptedException {
    pacer.tick();
    PacingState before = PacingInputs.state(cluster.view.state());
    QueueControl control =
        new QueueControl("alert", false, true, "ann", NOW, "the mail server is down");
    cluster.control(control);
    cluster.figures = waiting(90_000, 90_500);
    cluster.nanos += TICK.toNanos();
    pacer.tick();

    PacingRecord record = cluster.records.get(1);
    assertThat(record.start()).isZero();
    assertThat(record.gate()).isEqualTo("PAUSED");
    assertThat(record.reason()).isEqualTo("paused by ann: the mail server is down");
    assertThat(PacingInputs.state(cluster.view.state()).arrivals().rate())
        .isEqualTo(before.arrivals().rate());

    cluster.control(null);
    pacer.tick();
    assertThat(cluster.records.get(2).start()).isPositive();
  }

  @Test
  void aManagerThatCannotReadItsSegmentSubmitsNothingAndLogsItOnce() throws InterruptedException {
    cluster.figures = null;

    pacer.tick();
    pacer.tick();
    assertThat(cluster.records).isEmpty();
    assertThat(cluster.printed)
        .hasSize(1)
        .first()
        .asString()
        .startsWith("submitting nothing, the segment cannot be read");

    cluster.figures = waiting(0, 0);
    pacer.tick();
    assertThat(cluster.records).hasSize(1);
    assertThat(cluster.printed)
        .last()
        .asString()
        .isEqualTo("the segment is readable again after 2 failed ticks");
  }

  @Test
  void withoutACentralManagerItPausesAndThenContinues() throws InterruptedException {
    pacer.tick();
    cluster.centralAway = true;
    assertThat(pacer.tick()).contains(TICK);
    assertThat(pacer.tick()).contains(TICK);
    cluster.centralAway = false;
    assertThat(pacer.tick()).contains(TICK);

    assertThat(cluster.records).hasSize(2);
    assertThat(cluster.printed).filteredOn(line -> line.contains("pausing")).hasSize(1);
  }

  @Test
  void aStaleAttemptEnds() throws InterruptedException {
    cluster.stale = true;

    assertThat(new QueueManagerProgram().run(cluster)).isZero();
    assertThat(cluster.pauses).isEmpty();
  }

  @Test
  void managersOfOneProcessTickAtTheSameMoments() {
    Duration tick = Duration.ofSeconds(5);
    assertThat(QueueManagerProgram.untilNext(tick, 12_000_000_000L))
        .isEqualTo(Duration.ofSeconds(3));
    assertThat(QueueManagerProgram.untilNext(tick, 10_000_000_000L)).isEqualTo(tick);
    assertThat(QueueManagerProgram.untilNext(tick, -1_000_000_000L))
        .isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void anExternalQueueIsPacedByWhatItsCommandPrints() throws InterruptedException {
    cluster.view = external();
    cluster.commandAnswer = new CommandAnswer(0, "120");
    cluster.figures = null;

    assertThat(pacer.tick()).contains(Duration.ofSeconds(10));
    assertThat(cluster.commands)
        .extracting(JobSpec::command)
        .containsExactly(List.of("count", "them"));
    assertThat(cluster.records.get(0).inputs()).containsEntry("waiting", 120.0);
    assertThat(cluster.records.get(0).start()).isBetween(2, 3);
  }

  @Test
  void aFailingCommandOrInvalidOutputStartsNothing() throws InterruptedException {
    cluster.view = external();
    cluster.commandAnswer = new CommandAnswer(3, "no route to host");
    pacer.tick();
    cluster.commandAnswer = new CommandAnswer(0, "many");
    pacer.tick();

    assertThat(cluster.records).isEmpty();
    assertThat(cluster.printed)
        .singleElement()
        .asString()
        .contains("[count, them] failed with exit code 3: no route to host");
  }

  @Test
  void aLingeringWorkerIsPlannedWithItsRunLimits() throws InterruptedException {
    WorkerDefinition worker =
        WorkerDefinitionBuilder.builder()
            .command(List.of("true"))
            .input(WorkerInput.PULL)
            .model(WorkerModel.LINGER)
            .linger(new LingerDefinition(250, null, null))
            .build();
    cluster.view = view(null, worker, null);
    cluster.figures = waiting(500, 500);
    pacer.tick();

    assertThat(cluster.records.get(0).start()).isEqualTo(2);
    cluster.nanos += TICK.toNanos();
    pacer.tick();
    assertThat(cluster.records.get(1).inputs()).containsEntry("openCapacity", 500.0);
  }

  private static PacingView external() {
    WorkerDefinition worker = WorkerDefinitionBuilder.builder().command(List.of("true")).build();
    return view(null, worker, new SourceDefinition(List.of("count", "them"), null, null));
  }

  @Test
  void aManagerStoppedDuringItsPauseEnds() {
    cluster.pausesBeforeStop = 2;

    assertThatThrownBy(() -> new QueueManagerProgram().run(cluster))
        .isInstanceOf(InterruptedException.class);
    assertThat(cluster.records).hasSize(3);
  }

  @Test
  void aSuccessorContinuesFromTheRecordedState() throws InterruptedException {
    arrive(12);
    PacingState before = PacingInputs.state(cluster.view.state());
    assertThat(before.arrivals().rate()).isGreaterThan(50);

    SegmentPacer successor = new SegmentPacer(cluster, new PacingRounds(), "alert", "q1");
    successor.tick();

    PacingState after = PacingInputs.state(cluster.view.state());
    assertThat(after.arrivals().rate()).isEqualTo(before.arrivals().rate());
  }

  @Test
  void theDefinitionIsReadAtEachTick() throws InterruptedException {
    pacer.tick();
    PacingDefinition slower =
        new PacingDefinition("threshold", Duration.ofSeconds(9), null, 0, 0, 0, 0, 0);
    cluster.view = view(slower);

    assertThat(pacer.tick()).contains(Duration.ofSeconds(9));
    assertThat(cluster.records).last().extracting(PacingRecord::policy).isEqualTo("threshold");
  }

  @Test
  void anUnreadableStateIsIgnored() {
    assertThat(PacingInputs.state(null)).isEqualTo(PacingState.initial());
    assertThat(PacingInputs.state(Json.mapper().createObjectNode().put("other", 1)))
        .isEqualTo(PacingState.initial());
  }

  @Test
  void theWorkersOfSessionsArePacedByTheirSessionsAndAskedToEnd() throws InterruptedException {
    cluster.view = ofSessions();
    cluster.figures = waiting(40, 40).withSessions(sessions(25, 0, 0));
    pacer.tick();

    PacingRecord started = cluster.records.get(0);
    assertThat(started.start()).isEqualTo(3);
    assertThat(started.policy()).isEqualTo("sessions");
    assertThat(started.leave()).isFalse();
    assertThat(started.inputs())
        .containsEntry("sessions", 25.0)
        .containsEntry("unassignedSessions", 25.0)
        .containsEntry("maxPerWorker", 10.0);
    assertThat(cluster.printed).first().asString().startsWith("starting 3: 25 sessions");

    cluster.figures = waiting(0, 40).withSessions(sessions(0, 0, 0));
    pacer.tick();
    assertThat(cluster.records.get(1).start()).isZero();
    cluster.figures = waiting(40, 40);
    pacer.tick();
    assertThat(cluster.records.get(2).gate())
        .as("a node of an earlier version")
        .isEqualTo("NO_FIGURES");
  }

  private static SessionFigures sessions(long unassigned, long assigned, int workers) {
    return new SessionFigures(
        unassigned,
        assigned,
        0,
        workers,
        10L * workers,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1000,
        0,
        0,
        0,
        null);
  }

  private static PacingView ofSessions() {
    PacingView view = view(null);
    WorkerDefinition worker =
        WorkerDefinitionBuilder.builder()
            .command(List.of("true"))
            .input(WorkerInput.SESSION)
            .build();
    QueueDefinition queue =
        view.queue()
            .with(
                copy ->
                    copy.worker(worker)
                        .sessions(SessionDefinition.of("order").withMaxPerWorker(10)));
    return new PacingView(
        queue,
        1,
        FakeCluster.SEGMENT,
        NodeState.NORMAL,
        0,
        0,
        0,
        0,
        0,
        0,
        0.1,
        0.2,
        null,
        null,
        null,
        NOW);
  }

  /** A hundred events a second for so many ticks, all taken at once. */
  private void arrive(int ticks) throws InterruptedException {
    for (int tick = 0; tick < ticks; tick++) {
      cluster.figures = waiting(0, 50L * tick);
      pacer.tick();
      cluster.nanos += TICK.toNanos();
    }
  }

  private static SegmentFigures waiting(long waiting, long inserted) {
    return new SegmentFigures(
        "alert", "q1", 1000, 1, waiting, 0, 0, 0, 1, 0, inserted, 0, 0, 0, 0, List.of(), null,
        null);
  }

  private static PacingView view(PacingDefinition pacing) {
    WorkerDefinition worker = WorkerDefinitionBuilder.builder().command(List.of("true")).build();
    return view(pacing, worker, null);
  }

  private static PacingView view(
      PacingDefinition pacing, WorkerDefinition worker, SourceDefinition source) {
    PacingDefinition paced =
        pacing == null ? new PacingDefinition(null, TICK, null, 0, 0, 0, 0, 0) : pacing;
    QueueDefinition queue =
        new QueueDefinition(
            "alert", 50, 0, 0, null, 0, null, 0, null, null, 0, paced, worker, source, null);
    return new PacingView(
        queue,
        1,
        source == null ? FakeCluster.SEGMENT : null,
        NodeState.NORMAL,
        0,
        0,
        0,
        0,
        0,
        0,
        0.1,
        0.2,
        null,
        null,
        null,
        NOW);
  }
}
