package io.millrace.queuenode.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.queue.NodeState;
import io.millrace.platform.clock.ManualClock;
import io.millrace.queuenode.load.LoadMeter.LoadSignals;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoadMeterTest {
  @Test
  void theStoreIsAsBusyAsItsWriterWorkedSinceTheLastSample() {
    ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
    AtomicLong busy = new AtomicLong();
    NodeLoadRule rule = new NodeLoadRule(new LoadSettings(1, true, .5, .4, .7, .5));
    AtomicLong stalled = new AtomicLong(Duration.ofDays(3).toNanos());
    LoadSignals signals =
        new LoadSignals(() -> 0.25, busy::get, () -> OptionalLong.of(stalled.get()));
    LoadMeter meter = new LoadMeter("q1", rule, signals, () -> true, clock);
    assertThat(meter.current().state()).isEqualTo(NodeState.IDLE);

    clock.advance(Duration.ofSeconds(2));
    busy.addAndGet(Duration.ofMillis(1_500).toNanos());
    stalled.addAndGet(Duration.ofMillis(600).toNanos());
    meter.sample();
    assertThat(meter.current().store()).isEqualTo(0.75, within(1e-9));
    assertThat(meter.current().cpu()).isEqualTo(0.25);
    assertThat(meter.current().disk()).isEqualTo(0.3, within(1e-9));
    assertThat(meter.current().state()).isEqualTo(NodeState.TOOBUSY);

    clock.advance(Duration.ofSeconds(1));
    meter.sample();
    assertThat(meter.current().store()).isZero();
  }

  @Test
  void anUnreadableDiskGivesNoSignal() {
    ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
    NodeLoadRule rule = new NodeLoadRule(new LoadSettings(1, true, .5, .4, .7, .5));
    LoadSignals signals = new LoadSignals(() -> 0.25, () -> 0, OptionalLong::empty);
    LoadMeter meter = new LoadMeter("q1", rule, signals, () -> true, clock);
    clock.advance(Duration.ofSeconds(1));
    meter.sample();
    assertThat(meter.current().disk()).isNull();
    assertThat(meter.current().load()).isEqualTo(0.25);
  }
}
