package io.millrace.loadbalancer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.ByteBudget;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BodyMemoryTest {
  private final ByteBudget budget = new ByteBudget(10 << 10, Duration.ofMillis(20));

  @Test
  void heldMemoryIsCountedAndReleasedEvenAfterFailure() {
    long held = BodyMemory.holding(budget, 2_000, budget::reserved);
    assertThat(held).isEqualTo(2 << 10);
    assertThatThrownBy(
            () ->
                BodyMemory.holding(
                    budget,
                    2_000,
                    () -> {
                      throw new IllegalStateException();
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(budget.reserved()).isZero();
  }

  @Test
  void aRequestWithoutFreeMemoryIsRefusedWithoutEffect() {
    boolean[] done = {false};
    assertThatThrownBy(
            () ->
                BodyMemory.holding(
                    budget,
                    9 << 10,
                    () -> BodyMemory.holding(budget, 2 << 10, () -> done[0] = true)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining("bodyMemory");
    assertThat(done[0]).isFalse();
  }

  @Test
  void aRequestAboveTheBudgetGetsTheBudget() {
    long held = BodyMemory.holding(budget, 1L << 40, budget::reserved);
    assertThat(held).isEqualTo(10 << 10);
  }
}
