package io.millrace.tests.drill.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class FaultSelectionTest {
  @Test
  void allFaultsAreDealtUnlessSomeAreNamed() {
    assertThat(FaultSelection.named("p", "", FaultKind.class))
        .containsExactlyInAnyOrder(FaultKind.values());
    assertThat(FaultSelection.named("p", "KILL, CUT", FaultKind.class))
        .containsExactlyInAnyOrder(FaultKind.KILL, FaultKind.CUT);
  }

  @Test
  void aMistypedNameIsRejectedWithTheValidNames() {
    assertThatThrownBy(() -> FaultSelection.named("the.property", "KIL", FaultKind.class))
        .hasMessageContaining("the.property: KIL is not one of [KILL")
        .hasMessageContaining("CLOCK_STEP");
  }

  @Test
  void aFaultIsDealtIfBothItsKindAndItsRoleAreNamed() {
    FaultSelection some =
        new FaultSelection(Set.of(FaultKind.LONG_FREEZE), Set.of(FaultRole.EXECUTION_NODE));
    assertThat(some.takes(new FaultCell(FaultKind.LONG_FREEZE, FaultRole.EXECUTION_NODE))).isTrue();
    assertThat(some.takes(new FaultCell(FaultKind.LONG_FREEZE, FaultRole.DATABASE))).isFalse();
    assertThat(some.takes(new FaultCell(FaultKind.KILL, FaultRole.EXECUTION_NODE))).isFalse();
  }
}
