package io.millrace.queuenode.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.MillraceException;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.queuenode.load.NodeLoadRule.LoadSample;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Size;

class NodeLoadRuleTest {
  private final NodeLoadRule rule = new NodeLoadRule(LoadSettings.defaults());
  private final NodeLoadRule unsmoothed =
      new NodeLoadRule(new LoadSettings(1, true, .5, .4, .7, .5));

  @Example
  void aNewSampleCountsForItsShareOfTheSmoothedValue() {
    NodeLoad load = rule.next(NodeLoadRule.unmeasured(), new LoadSample(1, 0.5), true);
    assertThat(load.cpu()).isEqualTo(0.2, within(1e-9));
    assertThat(load.store()).isEqualTo(0.1, within(1e-9));
    load = rule.next(load, new LoadSample(1, 0.5), true);
    assertThat(load.cpu()).isEqualTo(0.36, within(1e-9));
  }

  @Example
  void theLargestSignalIsTheLoadAndIsNamed() {
    NodeLoad load = unsmoothed.next(NodeLoadRule.unmeasured(), new LoadSample(0.1, 0.6), true);
    assertThat(load.load()).isEqualTo(0.6);
    assertThat(load.state()).isEqualTo(NodeState.BUSY);
    assertThat(load.reason()).isEqualTo("store 0.60: from 0.50 until below 0.40");
  }

  @Example
  void everyStepUpHasALowerStepDown() {
    assertThat(states(0.49, 0.50, 0.41, 0.39, 0.45))
        .containsExactly(
            NodeState.NORMAL, NodeState.BUSY, NodeState.BUSY, NodeState.NORMAL, NodeState.NORMAL);
    assertThat(states(0.70, 0.51, 0.49, 0.69, 0.39))
        .containsExactly(
            NodeState.TOOBUSY, NodeState.TOOBUSY, NodeState.BUSY, NodeState.BUSY, NodeState.NORMAL);
    assertThat(states(0.95, 0.10)).containsExactly(NodeState.TOOBUSY, NodeState.NORMAL);
  }

  @Example
  void aNodeWithoutSegmentsIsIdleHoweverLoadedTheMachineIs() {
    NodeLoad load = unsmoothed.next(NodeLoadRule.unmeasured(), new LoadSample(1, 0), false);
    assertThat(load.state()).isEqualTo(NodeState.IDLE);
    assertThat(load.load()).isEqualTo(1);
  }

  @Property
  void noiseWithinTheBandChangesNoState(
      @ForAll @DoubleRange(min = 0.41, max = 0.49) double start,
      @ForAll @Size(min = 1, max = 200) List<@DoubleRange(min = 0.41, max = 0.49) Double> noise) {
    for (NodeState held : List.of(NodeState.NORMAL, NodeState.BUSY)) {
      NodeLoad load = new NodeLoad(held, start, start, 0, null, "");
      for (double sample : noise) {
        load = rule.next(load, new LoadSample(sample, 0), true);
        assertThat(load.state()).isEqualTo(held);
      }
    }
  }

  @Property
  void noiseBelowTooBusyDoesNotFlapBetweenBusyAndTooBusy(
      @ForAll @Size(min = 1, max = 200) List<@DoubleRange(min = 0.51, max = 0.69) Double> noise) {
    for (NodeState held : List.of(NodeState.BUSY, NodeState.TOOBUSY)) {
      NodeLoad load = new NodeLoad(held, 0.6, 0, 0.6, null, "");
      for (double sample : noise) {
        load = rule.next(load, new LoadSample(0, sample), true);
        assertThat(load.state()).isEqualTo(held);
      }
    }
  }

  @Property
  void aSmoothedSignalStaysBetweenItsPastAndItsSample(
      @ForAll @DoubleRange(min = 0, max = 1) double before,
      @ForAll @DoubleRange(min = -1, max = 3) double sample) {
    double cpu =
        rule.next(
                new NodeLoad(NodeState.NORMAL, before, before, 0, null, ""),
                new LoadSample(sample, 0),
                true)
            .cpu();
    double bounded = Math.min(1, Math.max(0, sample));
    assertThat(cpu).isBetween(Math.min(before, bounded) - 1e-9, Math.max(before, bounded) + 1e-9);
  }

  @Example
  void diskWaitsCountIfReadableAndAreIgnoredOtherwise() {
    NodeLoad load = unsmoothed.next(NodeLoadRule.unmeasured(), new LoadSample(0.1, 0.2, 0.8), true);
    assertThat(load.state()).isEqualTo(NodeState.TOOBUSY);
    assertThat(load.reason()).isEqualTo("disk 0.80: from 0.70 until below 0.50");
    load = unsmoothed.next(load, new LoadSample(0.1, 0.2, null), true);
    assertThat(load.disk()).isNull();
    assertThat(load.state()).isEqualTo(NodeState.NORMAL);
    assertThat(load.reason()).isEqualTo("store 0.20: below 0.50");
  }

  @Example
  void aLoadJustBelowAThresholdIsNotReportedAsOnIt() {
    NodeLoad load = unsmoothed.next(NodeLoadRule.unmeasured(), new LoadSample(0, 0.4999), true);
    assertThat(load.reason()).isEqualTo("store 0.49: below 0.50");
  }

  @Property
  void aSteadySignalWithNoiseSmallerThanTheBandsNeverComesBackToAStateItHasLeft(
      @ForAll @DoubleRange(min = 0, max = 1) double level,
      @ForAll @Size(value = 150) List<@DoubleRange(min = -0.04, max = 0.04) Double> noise) {
    NodeLoad load = NodeLoadRule.unmeasured();
    for (int i = 0; i < 60; i++) {
      load = rule.next(load, new LoadSample(0, level), true);
    }
    List<NodeState> visited = new ArrayList<>(List.of(load.state()));
    for (double deviation : noise) {
      load = rule.next(load, new LoadSample(0, level + deviation), true);
      if (load.state() != visited.get(visited.size() - 1)) {
        visited.add(load.state());
      }
    }
    assertThat(visited).doesNotHaveDuplicates();
  }

  @Property
  void aStateIsEnteredAtItsUpperThresholdOnlyAndLeftBelowItsLowerOneOnly(
      @ForAll @Size(max = 300) List<@DoubleRange(min = 0, max = 1) Double> samples) {
    NodeLoad before = new NodeLoad(NodeState.NORMAL, 0, 0, 0, null, "");
    for (double sample : samples) {
      NodeLoad after = rule.next(before, new LoadSample(0, sample), true);
      boolean wasTooBusy = before.state() == NodeState.TOOBUSY;
      boolean isTooBusy = after.state() == NodeState.TOOBUSY;
      boolean wasBusy = before.state() != NodeState.NORMAL;
      boolean isBusy = after.state() != NodeState.NORMAL;
      assertThat(isTooBusy).isEqualTo(after.load() >= (wasTooBusy ? 0.5 : 0.7));
      assertThat(isBusy).isEqualTo(after.load() >= (wasBusy ? 0.4 : 0.5));
      before = after;
    }
  }

  @Example
  void thresholdsThatWouldFlapAreRefused() {
    assertThatThrownBy(() -> new LoadSettings(0.5, true, 0.4, 0.5, 0.7, 0.5))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("busyLeave");
  }

  private List<NodeState> states(double... samples) {
    List<NodeState> states = new ArrayList<>();
    NodeLoad load = new NodeLoad(NodeState.NORMAL, 0, 0, 0, null, "");
    for (double sample : samples) {
      load = unsmoothed.next(load, new LoadSample(0, sample), true);
      states.add(load.state());
    }
    return states;
  }

  @Example
  void theMachineOfASharedProcessIsShownAndDoesNotCount() {
    NodeLoadRule shared = new NodeLoadRule(new LoadSettings(1, true, .5, .4, .7, .5).storeOnly());
    NodeLoad load = shared.next(NodeLoadRule.unmeasured(), new LoadSample(0.95, 0.1, 0.9), true);
    assertThat(load.state()).isEqualTo(NodeState.NORMAL);
    assertThat(load.cpu()).isEqualTo(0.95);
    assertThat(load.disk()).isEqualTo(0.9);
    assertThat(load.load()).isEqualTo(0.1);
  }
}
