package io.millrace.cli.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.api.DataSize;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulerValuesTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "90, 5400",
    "1:30, 90",
    "1:30:15, 5415",
    "2-3, 183600",
    "1-12:30, 131400",
    "0-0:0:5, 5",
  })
  void slurmTimes(String written, long seconds) {
    assertThat(SchedulerValues.slurmTime(written)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(strings = {"UNLIMITED", "infinite", "0"})
  void noLimit(String written) {
    assertThat(SchedulerValues.slurmTime(written)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1h", "1:2:3:4", "-5", "1-", "a"})
  void otherTimesAreRefused(String written) {
    assertThatIllegalArgumentException().isThrownBy(() -> SchedulerValues.slurmTime(written));
  }

  @ParameterizedTest
  @CsvSource({"3600, 3600", "1:30:00, 5400", ":10:, 600", "::5, 5"})
  void gridEngineTimes(String written, long seconds) {
    assertThat(SchedulerValues.gridEngineTime(written)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @CsvSource({"2, M, 2097152", "2G, M, 2147483648", "1.5g, '', 1610612736", "500, '', 500"})
  void sizes(String written, String unit, long bytes) {
    assertThat(SchedulerValues.size(written, unit)).isEqualTo(new DataSize(bytes));
  }

  @ParameterizedTest
  @CsvSource({
    "now, 2026-03-01T12:00:00Z",
    "now+90, 2026-03-01T12:01:30Z",
    "now+1hour, 2026-03-01T13:00:00Z",
    "now+2days, 2026-03-03T12:00:00Z",
    "16:00, 2026-03-01T16:00:00Z",
    "8:30, 2026-03-02T08:30:00Z",
    "midnight, 2026-03-02T00:00:00Z",
    "noon, 2026-03-02T12:00:00Z",
    "2026-04-01, 2026-04-01T00:00:00Z",
    "2026-04-01T12:30, 2026-04-01T12:30:00Z",
  })
  void beginOfSlurm(String written, Instant begin) {
    assertThat(SchedulerValues.slurmBegin(written, NOW, ZoneOffset.UTC)).isEqualTo(begin);
  }

  @Test
  void timesAreThoseOfTheZone() {
    assertThat(SchedulerValues.slurmBegin("16:00", NOW, ZoneId.of("America/New_York")))
        .isEqualTo("2026-03-01T21:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "03021530, 2026-03-02T15:30:00Z",
    "2603021530, 2026-03-02T15:30:00Z",
    "202603021530.20, 2026-03-02T15:30:20Z",
  })
  void beginOfGridEngine(String written, Instant begin) {
    assertThat(SchedulerValues.gridEngineBegin(written, NOW, ZoneOffset.UTC)).isEqualTo(begin);
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "25:00", "2026-13-01", "now+1fortnight"})
  void otherBeginsAreRefused(String written) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SchedulerValues.slurmBegin(written, NOW, ZoneOffset.UTC))
        .withMessageContaining("is not a time");
  }
}
