package io.millrace.platform.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
  private final ByteBudget budget = new ByteBudget(10 << 10, Duration.ofMillis(20));

  @Test
  void reservationsAreCountedInWholeUnitsAndReleased() throws InterruptedException {
    assertThat(budget.reserve(2_000)).isTrue();
    assertThat(budget.reserve(0)).isTrue();
    assertThat(budget.reserved()).isEqualTo(3 << 10);
    budget.release(2_000);
    budget.release(0);
    assertThat(budget.reserved()).isZero();
  }

  @Test
  void aReservationWithoutSpaceFailsAfterTheTimeoutAndTakesNothing() throws InterruptedException {
    assertThat(budget.reserve(9 << 10)).isTrue();
    assertThat(budget.reserve(2 << 10)).isFalse();
    assertThat(budget.reserve(1 << 10)).isTrue();
  }

  @Test
  void aReservationAboveTheBudgetGetsTheBudget() throws InterruptedException {
    assertThat(budget.reserve(Long.MAX_VALUE)).isTrue();
    assertThat(budget.reserved()).isEqualTo(10 << 10);
    budget.release(Long.MAX_VALUE);
    assertThat(budget.reserved()).isZero();
  }

  @Test
  void anInterruptedReservationTakesNothing() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> budget.reserve(1)).isInstanceOf(InterruptedException.class);
    assertThat(budget.reserved()).isZero();
  }
}
