package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowTimesTest {
  private static final ZoneId AMSTERDAM = ZoneId.of("Europe/Amsterdam");

  @ParameterizedTest
  @CsvSource({
    // In Amsterdam, an hour ahead of UTC.
    "02:00, 06:00, 2026-03-02T00:59:59Z, false, 2026-03-02T01:00:00Z,",
    "02:00, 06:00, 2026-03-02T01:00:00Z, true, 2026-03-02T01:00:00Z, 2026-03-02T05:00:00Z",
    "02:00, 06:00, 2026-03-02T04:59:59Z, true, 2026-03-02T04:59:59Z, 2026-03-02T05:00:00Z",
    "02:00, 06:00, 2026-03-02T05:00:00Z, false, 2026-03-03T01:00:00Z,",
    "22:00, 04:00, 2026-03-02T22:30:00Z, true, 2026-03-02T22:30:00Z, 2026-03-03T03:00:00Z",
    "22:00, 04:00, 2026-03-03T02:30:00Z, true, 2026-03-03T02:30:00Z, 2026-03-03T03:00:00Z",
    "22:00, 04:00, 2026-03-03T12:00:00Z, false, 2026-03-03T21:00:00Z,",
    // The clocks jump from 02:00 to 03:00, at 01:00 UTC.
    "02:00, 06:00, 2026-03-29T00:59:59Z, false, 2026-03-29T01:00:00Z,",
    "02:00, 06:00, 2026-03-29T01:00:00Z, true, 2026-03-29T01:00:00Z, 2026-03-29T04:00:00Z",
    "02:00, 03:00, 2026-03-29T01:30:00Z, true, 2026-03-29T01:30:00Z, 2026-03-29T02:00:00Z",
    "01:00, 02:30, 2026-03-29T00:30:00Z, true, 2026-03-29T00:30:00Z, 2026-03-29T01:00:00Z",
    "22:00, 04:00, 2026-03-29T01:30:00Z, true, 2026-03-29T01:30:00Z, 2026-03-29T02:00:00Z",
    // They show 02:00 to 03:00 twice, from 00:00 UTC.
    "02:15, 02:45, 2026-10-25T00:15:00Z, true, 2026-10-25T00:15:00Z, 2026-10-25T01:45:00Z",
    "02:00, 06:00, 2026-10-25T00:00:00Z, true, 2026-10-25T00:00:00Z, 2026-10-25T05:00:00Z"
  })
  void aWindowIsOpenBetweenItsTimesOnTheClocksOfItsZone(
      LocalTime from, LocalTime to, Instant moment, boolean open, Instant openFrom, Instant until) {
    WindowTimes window = WindowTimes.of(new TimeWindow(from, to, null), AMSTERDAM);

    assertThat(window.isOpen(moment)).isEqualTo(open);
    assertThat(window.openFrom(moment)).isEqualTo(openFrom);
    assertThat(window.openUntil(moment).orElse(null)).isEqualTo(until);
  }

  @Test
  void withoutAWindowItIsAlwaysOpenAndNeverEnds() {
    WindowTimes always = WindowTimes.of(null, AMSTERDAM);

    assertThat(always.isOpen(Instant.EPOCH)).isTrue();
    assertThat(always.openFrom(Instant.EPOCH)).isEqualTo(Instant.EPOCH);
    assertThat(always.openUntil(Instant.EPOCH)).isEmpty();
  }

  @Property
  void everyWindowOpensWithinTwoDaysAndEndsAfterItOpened(
      @ForAll @LongRange(min = 1_700_000_000, max = 1_900_000_000) long second,
      @ForAll @IntRange(max = 1439) int from,
      @ForAll @IntRange(min = 1, max = 1439) int length) {
    LocalTime start = LocalTime.MIN.plusMinutes(from);
    Instant moment = Instant.ofEpochSecond(second);
    WindowTimes window =
        WindowTimes.of(
            new TimeWindow(start, start.plusMinutes(length), null), ZoneId.of("America/Santiago"));
    Instant open = window.openFrom(moment);

    assertThat(open).isBetween(moment, moment.plus(Duration.ofDays(2)));
    assertThat(window.isOpen(open)).isTrue();
    assertThat(window.openUntil(open).orElseThrow()).isAfter(open);
    assertThat(window.isOpen(moment)).isEqualTo(open.equals(moment));
  }
}
