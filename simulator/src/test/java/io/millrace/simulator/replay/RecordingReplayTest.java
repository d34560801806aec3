package io.millrace.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.simulator.pacing.RateCurve;
import io.millrace.simulator.pacing.WorkerBehaviour;
import io.millrace.simulator.replay.LiveQueue.Lived;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import io.millrace.simulator.replay.RecordingReplay.ReplayRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A replay from the kept decisions alone comes near what happened. */
class RecordingReplayTest {
  private static final WorkerBehaviour EXIT =
      WorkerBehaviour.exit(50, Duration.ofMillis(1200), Duration.ofMillis(3400));

  @ParameterizedTest
  @CsvSource({"0.02, 28800", "0.2, 7200", "2, 3600", "20, 3600", "80, 1800"})
  void theControlIsCloseToTheRecord(double rate, double seconds) {
    Lived lived = LiveQueue.live("n1", RateCurve.constant(rate), seconds, EXIT);
    RecordingReplay replay = new RecordingReplay(Recording.of(lived.decisions()), null);

    ReplayRow recorded = replay.recorded().row();
    ReplayRow control = replay.control().row();

    assertThat(recorded.runs()).isEqualTo(lived.result().runs());
    assertThat(recorded.meanWait())
        .isCloseTo(lived.result().meanWait(), Percentage.withPercentage(10));
    assertThat((double) control.runs())
        .isCloseTo((double) lived.result().runs(), Percentage.withPercentage(5));
    assertThat(control.meanWait())
        .isCloseTo(lived.result().meanWait(), Percentage.withPercentage(10));
    assertThat(control.seen().oldest()).isCloseTo(recorded.seen().oldest(), within(0.5));
  }

  @Test
  void lingeringWorkersAreReplayedFromTheirRunsWithoutAGuessedRecord() {
    WorkerBehaviour linger =
        WorkerBehaviour.linger(50, Duration.ofMillis(1200), Duration.ofMillis(3400));
    Lived lived = LiveQueue.live("n1", RateCurve.constant(20), 3600, linger);
    RecordingReplay replay = new RecordingReplay(Recording.of(lived.decisions()), null);

    assertThat(replay.recorded().row().meanWait()).isNull();
    assertThat((double) replay.control().row().runs())
        .isCloseTo((double) lived.result().runs(), Percentage.withPercentage(5));
  }

  @Test
  void aLongerWaitTargetNeedsFewerRunsAndLetsEventsWaitLonger() {
    Lived lived = LiveQueue.live("n1", RateCurve.constant(2), 3600, EXIT);
    RecordingReplay replay = new RecordingReplay(Recording.of(lived.decisions()), null);
    ReplayRow control = replay.control().row();

    ReplayRow changed = replay.changed(List.of("waitTarget=20s", "pacing.maxWorkers=30")).row();

    assertThat(changed.name()).isEqualTo("waitTarget=20s pacing.maxWorkers=30");
    assertThat(changed.events()).isEqualTo(control.events());
    assertThat(changed.runs()).isLessThan(control.runs() * 2 / 3);
    assertThat(changed.meanWait()).isGreaterThan(1.5 * control.meanWait());
  }

  @Test
  void aCapAppliesToAllSegmentsTogether() {
    List<RecordedDecision> decisions = new ArrayList<>();
    for (String node : List.of("n1", "n2", "n3")) {
      decisions.addAll(LiveQueue.live(node, RateCurve.constant(20), 1800, EXIT).decisions());
    }
    RecordingReplay replay = new RecordingReplay(Recording.of(decisions), null);

    assertThat(replay.control().row().mostWorkers()).isGreaterThan(4);
    assertThat(replay.changed(List.of("maxWorkers=4")).row().mostWorkers()).isEqualTo(4);
  }

  @Test
  void noDecisionsAreMadeWhileTheManagerIsDown() {
    Lived lived = LiveQueue.live("n1", RateCurve.constant(20), 3600, EXIT);
    List<RecordedDecision> gapped =
        lived.decisions().stream()
            .filter(
                one ->
                    one.secondsFrom(LiveQueue.BEGIN) < 1200
                        || one.secondsFrom(LiveQueue.BEGIN) > 1800)
            .toList();
    RecordingReplay replay = new RecordingReplay(Recording.of(gapped), null);

    assertThat(replay.basis().notes()).anyMatch(note -> note.contains("the manager was down"));
    assertThat(replay.control().row().longestWait()).isGreaterThan(500);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "speed=5 | one of the names policy, tick, waitTarget",
        "waitTarget | use NAME=VALUE",
        "waitTarget=soon | is not a duration",
        "tick=0 | tick must be longer than zero",
        "maxWorkers=many | maxWorkers is a whole number above 0",
        "batch=0 | batch is a whole number above 0",
        "policy=best | pacing.policy must be demand or threshold",
        "lowerLimit=300 | pacing.lowerLimit must be below upperLimit"
      })
  void anInvalidChangeIsRefusedWithTheSolution(String change, String message) {
    Lived lived = LiveQueue.live("n1", RateCurve.constant(2), 600, EXIT);
    RecordingReplay replay = new RecordingReplay(Recording.of(lived.decisions()), null);

    assertThatThrownBy(() -> replay.changed(List.of(change))).hasMessageContaining(message);
  }

  @Test
  void aRecordOfAnEarlierVersionIsRefused() {
    Lived lived = LiveQueue.live("n1", RateCurve.constant(2), 600, EXIT);
    List<RecordedDecision> old =
        lived.decisions().stream()
            .map(
                one -> {
                  Map<String, Double> figures = new HashMap<>(one.figures());
                  figures.remove("batch");
                  return new RecordedDecision(
                      one.at(), one.node(), one.start(), one.policy(), one.gate(), figures);
                })
            .toList();

    assertThatThrownBy(() -> new RecordingReplay(Recording.of(old), null))
        .hasMessageContaining("does not contain batch: it was recorded by an earlier version");
  }

  @Test
  void decisionsAboutSessionsAreRefused() {
    Lived lived = LiveQueue.live("n1", RateCurve.constant(2), 600, EXIT);
    List<RecordedDecision> ofSessions =
        lived.decisions().stream()
            .map(
                one ->
                    new RecordedDecision(
                        one.at(), one.node(), one.start(), "sessions", one.gate(), one.figures()))
            .toList();

    assertThatThrownBy(() -> new RecordingReplay(Recording.of(ofSessions), null))
        .hasMessageContaining("the queue has sessions")
        .hasMessageContaining("not simulated");
  }

  @Test
  void anEmptyRecordIsRefused() {
    assertThatThrownBy(() -> Recording.of(List.of()))
        .hasMessageContaining("a replay needs at least two of one segment");
  }
}
