package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.run.LogRetention.EndedAttempts;
import io.millrace.executor.run.LogRetention.Ending;
import io.millrace.executor.run.LogRetention.LogRetentionSettings;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EndedAttemptsTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final EndedAttempts ended =
      new EndedAttempts(new LogRetentionSettings(2, 3, 1, Duration.ofDays(7)));

  @Test
  void keepsTheLastSuccessfulWorkersWhateverTheirAge() {
    for (int job = 1; job <= 4; job++) {
      ended.add(attempt(job), Ending.SUCCESSFUL_WORKER, START);
    }

    assertThat(ended.takeExpired(START.plus(Duration.ofDays(30))))
        .containsExactly(attempt(1), attempt(2));
    assertThat(ended.takeExpired(START.plus(Duration.ofDays(30)))).isEmpty();
  }

  @Test
  void keepsOthersForTheirTime() {
    ended.add(attempt(1), Ending.SUCCEEDED, START);
    ended.add(attempt(2), Ending.SUCCEEDED, START.plus(Duration.ofDays(1)));

    assertThat(ended.takeExpired(START.plus(Duration.ofDays(7)))).isEmpty();
    assertThat(ended.takeExpired(START.plus(Duration.ofDays(7)).plusSeconds(1)))
        .containsExactly(attempt(1));
  }

  @Test
  void keepsNoMoreOthersThanTheirNumber() {
    for (int job = 1; job <= 5; job++) {
      ended.add(attempt(job), Ending.SUCCEEDED, START);
    }

    assertThat(ended.takeExpired(START)).containsExactly(attempt(1), attempt(2));
  }

  @Test
  void successesDoNotDisplaceFailures() {
    ended.add(attempt(1), Ending.FAILED, START);
    for (int job = 2; job <= 5; job++) {
      ended.add(attempt(job), Ending.SUCCEEDED, START);
    }

    assertThat(ended.takeExpired(START)).containsExactly(attempt(2));

    ended.add(attempt(6), Ending.FAILED, START);
    assertThat(ended.takeExpired(START)).containsExactly(attempt(1));
  }

  private static AttemptId attempt(int job) {
    return new AttemptId(job, 1);
  }
}
