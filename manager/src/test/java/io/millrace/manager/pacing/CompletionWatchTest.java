package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CompletionWatchTest {
  private final PacingSettings settings = PacingSettings.ofBatch(50);
  private CompletionWatch watch =
      CompletionWatch.fresh().observe(0, Tick.waiting(0).workers(), 0, settings);
  private long acknowledged;

  private void minute(int running, long perSecond) {
    minute(Tick.waiting(0).running(running, 0), perSecond);
  }

  private void minute(Tick tick, long perSecond) {
    for (int fiveSeconds = 0; fiveSeconds < 12; fiveSeconds++) {
      acknowledged += 5 * perSecond;
      watch = watch.observe(acknowledged, tick.workers(), 5, settings);
    }
  }

  @Test
  void completingWorkIsNotFlat() {
    minute(10, 100);
    minute(20, 200);
    minute(40, 400);
    assertThat(watch.flat()).isFalse();
  }

  @Test
  void moreWorkersWithoutMoreCompletionsAreFlatAfterTwoWindows_H214() {
    minute(10, 100);
    minute(20, 100);
    assertThat(watch.flat()).isFalse();
    minute(40, 101);
    assertThat(watch.flat()).isTrue();
    minute(40, 101);
    assertThat(watch.flat()).as("the brake is tried off when workers no longer rise").isFalse();
  }

  @Test
  void workThatAcknowledgesNothingIsFlat() {
    minute(3, 0);
    minute(3, 0);
    assertThat(watch.flat()).isTrue();
    minute(3, 1);
    assertThat(watch.flat()).isFalse();
  }

  @Test
  void aQueueWithoutWorkIsNotFlat() {
    minute(0, 0);
    minute(0, 0);
    minute(0, 0);
    assertThat(watch.flat()).isFalse();
  }

  @Test
  void slowWorkersGetTheTimeOfTwoRuns() {
    Tick slow = Tick.waiting(0).running(3, 0).runTime(Duration.ofMinutes(5));
    for (int minute = 0; minute < 9; minute++) {
      minute(slow, 0);
    }
    assertThat(watch.flat()).isFalse();
  }

  @Test
  void aCounterThatWentBackwardsRestarts() {
    minute(3, 0);
    minute(3, 10);
    acknowledged = 0;
    minute(3, 0);
    assertThat(watch.flat()).isFalse();
    assertThat(watch.flatWindows()).isLessThanOrEqualTo(1);
  }
}
