package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PacingSettingsTest {
  private final PacingSettings settings = PacingSettings.ofBatch(50);

  @Test
  void theDefaultsAreThePublishedFiguresAndTheDemandPolicy_H171_H173_H174() {
    assertThat(settings.policy()).isEqualTo("demand");
    assertThat(settings.tick()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.history()).isEqualTo(Duration.ofSeconds(60));
    assertThat(settings.threshold().raise()).isEqualTo(0.20);
    assertThat(settings.threshold().lower()).isEqualTo(0.10);
    assertThat(settings.threshold().emptyReadings()).isEqualTo(4);
    assertThat(settings.demand().waitTarget()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void anUnknownPolicyIsRefusedWithTheExistingNames() {
    assertThatThrownBy(() -> settings.withPolicy("treshold"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown pacing policy 'treshold'; use demand or threshold");
  }

  @Test
  void valuesThatCannotWorkAreRefusedByName() {
    assertThatThrownBy(() -> PacingSettings.ofBatch(0))
        .hasMessage("eventsPerWorker must be at least 1, not 0");
    assertThatThrownBy(() -> settings.withTick(Duration.ZERO)).hasMessageContaining("tick");
    assertThatThrownBy(() -> settings.limits().withMaxWorkers(0))
        .hasMessageContaining("maxWorkers");
    assertThatThrownBy(() -> settings.demand().withWaitTarget(Duration.ofSeconds(-1)))
        .hasMessageContaining("waitTarget");
    ThresholdSettings rare =
        settings.threshold().withIntervals(Duration.ofMinutes(2), Duration.ofMinutes(2));
    assertThatThrownBy(() -> settings.withThreshold(rare)).hasMessageContaining("readEvery");
  }
}
