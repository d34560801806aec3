package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlaceAllowanceTest {
  @ParameterizedTest
  @EnumSource(Gate.class)
  void onlyDecisionsThatLackedPlacesLeaveAnAllowance(Gate gate) {
    boolean place = gate == Gate.MAX_WORKERS || gate == Gate.SUBMITTED_NOT_STARTED;
    assertThat(PlaceAllowance.after(gate, 100, 4).remaining()).isEqualTo(place ? 96 : 0);
  }

  @Test
  void noMoreStartThanWereWantedAndThanEveryCapAllows() {
    PlaceAllowance allowance = PlaceAllowance.after(Gate.MAX_WORKERS, 10, 4);
    assertThat(allowance.startable(NodeState.NORMAL, 100, 100)).isEqualTo(6);
    assertThat(allowance.startable(NodeState.IDLE, 3, 100)).isEqualTo(3);
    assertThat(allowance.startable(NodeState.NORMAL, 100, 2)).isEqualTo(2);
    assertThat(allowance.startable(NodeState.NORMAL, -1, 100)).isZero();
    assertThat(allowance.without(6).startable(NodeState.NORMAL, 100, 100)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"BUSY", "TOOBUSY"})
  void aBusyNodeGetsNoWorkerBeforeTheNextDecision(NodeState state) {
    assertThat(new PlaceAllowance(6).startable(state, 100, 100)).isZero();
  }
}
