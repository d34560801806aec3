package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.tests.drill.check.Capacity.Use;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CapacityTest {
  private static final Map<String, Integer> TOTALS = Map.of("slots of n", 2, "licence", 1);

  @Test
  void useUpToTheTotalIsAccepted() {
    assertThat(
            Capacity.exceeded(
                TOTALS,
                List.of(
                    new Use("slots of n", 1, 0, 10, "a"),
                    new Use("slots of n", 1, 5, 15, "b"),
                    new Use("slots of n", 2, 15, 20, "c"),
                    new Use("licence", 1, 0, 5, "a"),
                    new Use("licence", 1, 5, 9, "b"))))
        .isEmpty();
  }

  @Test
  void useAboveTheTotalIsReportedWithAllHolders() {
    assertThat(
            Capacity.exceeded(
                TOTALS,
                List.of(
                    new Use("slots of n", 1, 0, 10, "a"),
                    new Use("slots of n", 1, 0, 3, "gone"),
                    new Use("slots of n", 2, 9, 15, "b"),
                    new Use("licence", 1, 0, 5, "a"))))
        .singleElement()
        .asString()
        .contains("slots of n: 3 of 2", "9.00", "by a, b");
  }

  @Test
  void anOvercommittedLicenceIsReported() {
    assertThat(
            Capacity.exceeded(
                TOTALS,
                List.of(new Use("licence", 1, 0, 5, "a"), new Use("licence", 1, 4, 5, "b"))))
        .hasSize(1);
  }

  @Test
  void useOfAnUnknownResourceIsReported() {
    assertThat(Capacity.exceeded(TOTALS, List.of(new Use("slots of m", 1, 0, 5, "a"))))
        .singleElement()
        .asString()
        .contains("slots of m");
  }
}
