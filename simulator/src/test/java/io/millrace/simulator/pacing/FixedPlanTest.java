package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FixedPlanTest {
  private static final int PUBLISHED_SECONDS = 12_000;

  /** 3000/s at 400 per run is 7.5 runs per second, so its slots are of two seconds. */
  @ParameterizedTest
  @CsvSource({"50, 50, 1, 12000", "1000, 50, 1, 240000", "3000, 400, 2, 90000"})
  void thePublishedBestCasesOfTheCurrentSystem_H191_H192_H193_H194(
      long maximumPerSecond, int eventsPerRun, int secondsPerSlot, long publishedRuns) {
    FixedPlan plan =
        new FixedPlan(
            maximumPerSecond * secondsPerSlot, eventsPerRun, PUBLISHED_SECONDS / secondsPerSlot);

    assertThat(plan.runs()).isEqualTo(publishedRuns);
  }

  @Test
  void everySlotGetsWhatTheBusiestNeeds() {
    FixedPlan plan = FixedPlan.forPeakOf(List.of(0, 10, 101, 3), 50);

    assertThat(plan.runsPerSlot()).isEqualTo(3);
    assertThat(plan.runs()).isEqualTo(12);
  }

  @Test
  void aQueueWithoutEventsNeedsNoRuns() {
    assertThat(FixedPlan.forPeakOf(List.of(0, 0, 0), 50).runs()).isZero();
    assertThat(FixedPlan.forPeakOf(List.<Integer>of(), 50).runs()).isZero();
  }

  @Test
  void theDemoDayNeedsItsPeakAllDayLong() throws IOException {
    List<String[]> rows =
        Files.readAllLines(Path.of("..", "jobs", "demo", "rates-2015-03-09.csv")).stream()
            .skip(1)
            .map(row -> row.split(",", -1))
            .toList();
    long runs = 0;
    long events = 0;
    for (int queue = 1; queue <= 5; queue++) {
      int column = queue;
      List<Long> slots = rows.stream().map(row -> Long.parseLong(row[column])).toList();
      runs += FixedPlan.forPeakOf(slots, 50).runs();
      events += slots.stream().mapToLong(Long::longValue).sum();
    }

    assertThat(events).isEqualTo(90_094);
    // Peaks 1592, 348, 82, 108 and 176: 32 + 7 + 2 + 3 + 4 runs in each of 288 slots.
    assertThat(runs).isEqualTo(48 * 288);
  }

  @Test
  void anEmptyBatchIsRefused() {
    assertThatThrownBy(() -> new FixedPlan(1, 0, 1)).hasMessageContaining("batch 0");
  }
}
