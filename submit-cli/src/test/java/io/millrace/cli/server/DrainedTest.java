package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.server.Demo.Drained;
import io.millrace.cli.server.Demo.Totals;
import org.junit.jupiter.api.Test;

class DrainedTest {
  private final Drained drained = new Drained();

  @Test
  void noUnfinishedEventsMustBeReportedSeveralTimesBecauseReportsAreOld() {
    assertThat(drained.update(totals(100, 0, 100), 100)).isFalse();
    assertThat(drained.update(totals(100, 5, 95), 100)).isFalse();
    assertThat(drained.update(totals(100, 0, 100), 100)).isFalse();
    assertThat(drained.update(totals(100, 0, 100), 100)).isFalse();
    assertThat(drained.update(totals(100, 0, 100), 100)).isTrue();
  }

  @Test
  void eventsNotYetReportedAreAwaited() {
    for (int look = 0; look < 10; look++) {
      assertThat(drained.update(totals(80, 0, 80), 100)).isFalse();
    }
  }

  @Test
  void withoutProgressTheReplayEndsAndTheCheckFindsTheMissingEvents() {
    boolean over = false;
    for (int look = 0; look < 200 && !over; look++) {
      over = drained.update(totals(80, 0, 80), 100);
    }
    assertThat(over).isTrue();
  }

  private static Totals totals(long inserted, long unfinished, long done) {
    return new Totals(inserted, unfinished, done, 0, 0, 0, 0);
  }
}
