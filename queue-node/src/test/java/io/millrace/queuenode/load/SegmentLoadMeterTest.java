package io.millrace.queuenode.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.load.SegmentLoadRule.SegmentCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SegmentLoadMeterTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private final AtomicReference<Map<String, SegmentLoad>> heard = new AtomicReference<>();
  private Map<String, SegmentCounters> counters =
      Map.of("alert", new SegmentCounters(1_000, 1_000, 0, 0));

  @Test
  void countsFromBeforeTheStartAreNotLoad() {
    SegmentLoadMeter meter = meter();
    clock.advance(Duration.ofSeconds(2));
    meter.sample();
    assertThat(heard.get()).containsEntry("alert", SegmentLoad.NONE);

    counters =
        Map.of(
            "alert", new SegmentCounters(1_010, 1_000, 0, 0),
            "fresh", new SegmentCounters(10, 0, 0, 0));
    clock.advance(Duration.ofSeconds(2));
    meter.sample();
    assertThat(heard.get().get("alert").puts()).isEqualTo(5);
    assertThat(heard.get().get("fresh").puts()).isEqualTo(5);
    assertThat(heard.get().get("fresh").share()).isEqualTo(0.5);
  }

  @Test
  void twoSamplesAtTheSameInstantCountOnce() {
    SegmentLoadMeter meter = meter();
    meter.sample();
    assertThat(heard.get()).isNull();
  }

  private SegmentLoadMeter meter() {
    return new SegmentLoadMeter("q1", new SegmentLoadRule(1), () -> counters, heard::set, clock);
  }
}
