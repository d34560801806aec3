package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.manager.job.JobBench;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class AssignedTimeTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  @Test
  void withoutADeadlineNothingChanges() {
    JobSpec spec = JobBench.command();
    assertThat(PollService.withinDeadline(spec, NOW)).isSameAs(spec);
  }

  @Test
  void theTimeToTheDeadlineLimitsAJobWithoutALimitAndOneWithALongerLimit() {
    assertThat(limit(null, Duration.ofSeconds(90))).isEqualTo(Duration.ofSeconds(90));
    assertThat(limit(Duration.ofHours(1), Duration.ofSeconds(90)))
        .isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void aShorterLimitStays() {
    assertThat(limit(Duration.ofSeconds(5), Duration.ofSeconds(90)))
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void aDeadlineThatHasJustPassedLeavesTheMinimumTime() {
    assertThat(limit(null, Duration.ofSeconds(-1))).isEqualTo(Duration.ofMillis(1));
  }

  private static Duration limit(Duration timeout, Duration left) {
    JobSpec spec = JobDraft.command("/bin/true").timeout(timeout).deadline(NOW.plus(left)).spec();
    return PollService.withinDeadline(spec, NOW).timeout();
  }
}
