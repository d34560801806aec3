package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.NodeStatus;
import io.millrace.manager.job.JobBench;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClockStepsTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final ClockSteps steps = new ClockSteps(bench.database);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void severalCentralManagersShowAStepOnce() {
    assertThat(steps.record("database", HOUR)).isTrue();
    assertThat(new ClockSteps(bench.database).record("database", HOUR.plusMillis(300))).isFalse();
    assertThat(new ClockSteps(bench.database).record("database", HOUR.negated())).isTrue();
    assertThat(steps.recent()).hasSize(2);
  }

  @Test
  void anUnstableNodeClockIsShownOnceAMinute() {
    assertThat(steps.record("execution node e1", HOUR)).isTrue();
    assertThat(steps.record("execution node e1", HOUR.negated())).isFalse();
    assertThat(steps.record("execution node e2", HOUR)).isTrue();
    bench.database.transaction(
        handle ->
            handle.execute("update clock_step set noticed_at = dateadd(minute, -2, noticed_at)"));
    assertThat(steps.record("execution node e1", HOUR.negated())).isTrue();
  }

  @Test
  void aStepOfTheDatabaseClockIsShownAmongAnyNumberOfOthers() {
    steps.record("database", HOUR);
    for (int node = 0; node < 100; node++) {
      steps.record("execution node e" + node, HOUR);
    }

    assertThat(steps.recent()).hasSize(100).last().extracting("source").isEqualTo("database");
    assertThat(steps.record("database", HOUR)).isFalse();
  }

  @Test
  void aStepOfTheDatabaseClockShiftsTheEndsOfMaintenance() {
    bench.employ(JobBench.E1, "e1", 1);
    Instant end = Instant.parse("2030-01-01T00:00:00Z");
    bench.database.transaction(
        handle ->
            handle
                .createUpdate("update node set duty = 'MAINTENANCE', duty_until = :end")
                .bind("end", end)
                .execute());
    steps.record("database", HOUR);
    assertThat(bench.nodes.list().get(0).status()).isEqualTo(NodeStatus.MAINTENANCE);
    assertThat(bench.nodes.list().get(0).statusUntil()).isEqualTo(end.plus(HOUR));
  }

  @Test
  void aStepIsShownForAnHour() {
    steps.record("database", HOUR);
    bench.database.transaction(
        handle ->
            handle.execute("update clock_step set noticed_at = dateadd(minute, -61, noticed_at)"));
    assertThat(steps.recent()).isEmpty();
  }
}
