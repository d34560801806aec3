package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.ReasonKind;
import io.millrace.manager.pacing.SessionPacing.SessionPacingDecision;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionPacingTest {
  private static final int MOST = 10;
  private static final Duration TICK = Duration.ofSeconds(5);

  private PacingState state = PacingState.initial();

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        // what                       | unassigned | assigned | events | workers | capacity |
        // starting | running | start
        "nothing to do                 |   0 |   0 |   0 | 0 |  0 | 0 | 0 | 0",
        "the first session             |   1 |   0 |   1 | 0 |  0 | 0 | 0 | 1",
        "an event without a session yet|   0 |   0 |   1 | 0 |  0 | 0 | 0 | 1",
        "its worker is starting        |   1 |   0 |   1 | 0 |  0 | 1 | 0 | 0",
        "its worker is to register     |   1 |   0 |   1 | 0 |  0 | 0 | 1 | 0",
        "an idle session keeps one     |   0 |   1 |   0 | 0 |  0 | 0 | 0 | 1",
        "one is enough for ten         |   3 |   7 |  90 | 1 | 10 | 0 | 1 | 0",
        "and not for eleven            |   4 |   7 |  90 | 1 | 10 | 0 | 1 | 1",
        "as many as are missing        | 100 |   0 | 100 | 0 |  0 | 0 | 0 | 10",
        "those on their way count      | 100 |   0 | 100 | 2 | 20 | 3 | 4 | 3",
        "workers that take less        |  17 |   3 |  90 | 3 |  3 | 0 | 3 | 2",
        "programs outside take some    |  40 |   0 |  40 | 2 | 20 | 0 | 0 | 2",
      })
  void asManyWorkersAreStartedAsTheSessionsNeed(
      String what,
      long unassigned,
      long assigned,
      long events,
      int workers,
      long capacity,
      int starting,
      int running,
      int start) {
    SessionPacingDecision decision =
        decide(sessions(unassigned, assigned, 0, workers, capacity), events, starting, running, 0);

    assertThat(decision.start().workers()).as(what).isEqualTo(start);
    assertThat(decision.leave()).as(what).isFalse();
    assertThat(decision.start().why().kind()).isEqualTo(ReasonKind.SESSIONS);
  }

  @Test
  void theReasonHasTheFigures() {
    assertThat(decide(sessions(30, 5, 0, 1, 10), 9, 1, 1, 0).start().reason())
        .isEqualTo(
            "35 sessions, 30 without a worker; 1 worker with room for 10, 1 starting →"
                + " 2 workers more");
    assertThat(decide(sessions(0, 5, 0, 1, 10), 9, 0, 1, 0).start().reason())
        .isEqualTo(
            "5 sessions, 0 without a worker; 1 worker with room for 10, 0 starting;" + " enough");
  }

  @Test
  void noMoreAreStartedThanTheCapsAllow() {
    PacingDecision start = decide(sessions(1_000, 0, 0, 0, 0), 1_000, 15, 0, 0).start();

    assertThat(start.wanted()).isEqualTo(85);
    assertThat(start.workers()).isEqualTo(5);
    assertThat(start.gate()).isEqualTo(Gate.SUBMITTED_NOT_STARTED);
    PacingDecision full = decide(sessions(1_000, 0, 0, 48, 480), 1_000, 0, 48, 0).start();
    assertThat(full.workers()).isEqualTo(2);
    assertThat(full.gate()).isEqualTo(Gate.MAX_WORKERS);
  }

  @Test
  void programsOutsideDoNotHideThatJobsAreYetToRegister() {
    decide(sessions(0, 20, 0, 2, 20), 9, 0, 0, 0);
    assertThat(state.outsideWorkers()).isEqualTo(2);

    assertThat(decide(sessions(30, 20, 0, 2, 20), 9, 0, 0, 0).start().workers()).isEqualTo(3);
    assertThat(decide(sessions(30, 20, 0, 2, 20), 9, 0, 3, 3).start().workers()).isZero();
    assertThat(decide(sessions(30, 20, 0, 5, 50), 9, 0, 3, 0).start().workers()).isZero();
    assertThat(state.outsideWorkers()).isEqualTo(2);
  }

  @Test
  void oneIsAskedToEndWhenTheOthersHaveHadAQuarterToSpareForThreeTicks() {
    SessionFigures spare = sessions(0, 16, 0, 3, 30);

    assertThat(decide(spare, 9, 0, 3, 0).leave()).isFalse();
    assertThat(decide(spare, 9, 0, 3, 0).leave()).isFalse();
    SessionPacingDecision third = decide(spare, 9, 0, 3, 0);
    assertThat(third.leave()).isTrue();
    assertThat(third.start().reason())
        .endsWith("; one of them is asked to end, since the others could take all");
    assertThat(decide(spare, 9, 0, 3, 0).leave()).as("it counts anew").isFalse();
  }

  @Test
  void aTickAtWhichAllAreNeededBeginsTheCountAnew() {
    decide(sessions(0, 16, 0, 3, 30), 9, 0, 3, 0);
    decide(sessions(0, 16, 0, 3, 30), 9, 0, 3, 0);
    decide(sessions(0, 17, 0, 3, 30), 9, 0, 3, 0);

    assertThat(decide(sessions(0, 16, 0, 3, 30), 9, 0, 3, 0).leave()).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        // what                        | assigned | parked | events | workers | starting | running |
        // leaves
        "the last one when all is done  | 0 | 0 | 0 | 1 | 0 | 1 | true",
        "not while a session is open    | 1 | 0 | 0 | 1 | 0 | 1 | false",
        "not while an event is left     | 0 | 0 | 1 | 1 | 0 | 1 | false",
        "although an operator has to act| 0 | 2 | 5 | 1 | 0 | 1 | true",
        "not while others are starting  | 0 | 0 | 0 | 2 | 1 | 1 | false",
        "programs outside never         | 0 | 0 | 0 | 2 | 0 | 0 | false",
        "one job beside them            | 5 | 0 | 0 | 2 | 0 | 1 | true",
      })
  void whichWorkersAreAskedToEnd(
      String what,
      long assigned,
      long parked,
      long events,
      int workers,
      int starting,
      int running,
      boolean leaves) {
    SessionFigures sessions = sessions(0, assigned, parked, workers, workers * 10L);
    decide(sessions, events, starting, running, 0);
    decide(sessions, events, starting, running, 0);

    assertThat(decide(sessions, events, starting, running, 0).leave()).as(what).isEqualTo(leaves);
  }

  @Test
  void withoutFiguresNothingIsStartedAndNobodyIsAskedToEnd() {
    SessionPacingDecision decision = decide(null, 9, 0, 3, 0);

    assertThat(decision.leave()).isFalse();
    assertThat(decision.start().gate()).isEqualTo(Gate.NO_FIGURES);
    assertThat(decision.start().reason()).startsWith("the segment could not be read");
  }

  private SessionPacingDecision decide(
      SessionFigures sessions, long events, int starting, int running, int started) {
    PacingSnapshot snapshot =
        new PacingSnapshot(
            TICK,
            Optional.of(new QueueFigures(0, events, 100, 50, Duration.ZERO, NodeState.NORMAL)),
            Optional.of(
                new WorkerFigures(
                    starting,
                    running,
                    0,
                    0,
                    started,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    starting + running)));
    PacingSettings settings = PacingSettings.ofBatch(10).withLimits(new PacingLimits(50, 20, 100));
    SessionPacingDecision decision =
        SessionPacing.decide(snapshot, sessions, MOST, settings, state);
    state = decision.start().state();
    return decision;
  }

  private static SessionFigures sessions(
      long unassigned, long assigned, long parked, int workers, long capacity) {
    return new SessionFigures(
        unassigned,
        assigned,
        parked,
        workers,
        capacity,
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
}
