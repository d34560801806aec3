package io.millrace.simulator.balance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision.PlannedMove;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WeightTableTest {
  private final WeightTable table = new WeightTable(List.of("a"), List.of("n1", "n2"));

  WeightTableTest() {
    table.set(0, Map.of("n1", 1000));
  }

  @Test
  void aMoveForTheCurrentVersionIsApplied() {
    assertThat(table.commit(List.of(move(1, 400)))).isTrue();
    assertThat(table.row(0)).isEqualTo(Map.of("n1", 600, "n2", 400));
    assertThat(table.points(0, 1)).isEqualTo(400);
  }

  @Test
  void aMoveForAnOlderVersionIsRefused() {
    table.commit(List.of(move(1, 400)));
    assertThat(table.commit(List.of(move(1, 100)))).isFalse();
    assertThat(table.row(0)).isEqualTo(Map.of("n1", 600, "n2", 400));
  }

  @Test
  void aPolicyThatMovesMoreThanItHasIsDetected() {
    assertThatThrownBy(() -> table.commit(List.of(move(1, 1001))))
        .isInstanceOf(IllegalStateException.class);
  }

  private static PlannedMove move(long version, int points) {
    return new PlannedMove(new WeightMove("a", version, "n1", "n2", points), 0);
  }
}
