package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.dispatch.DenylistRule.QuickFailures;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DenylistRuleTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Optional<Instant> ELSEWHERE = Optional.of(NOW.minusSeconds(60));

  private static QuickFailures fail(QuickFailures before, Instant at, Optional<Instant> elsewhere) {
    return DenylistRule.failed(before, "exit code 3", at.minusSeconds(1), elsewhere, at);
  }

  private static QuickFailures fail(int times, Optional<Instant> elsewhere) {
    QuickFailures failures = QuickFailures.NONE;
    for (int i = 0; i < times; i++) {
      failures = fail(failures, NOW, elsewhere);
    }
    return failures;
  }

  @Test
  void the_third_quick_failure_in_a_row_closes_for_a_minute() {
    assertThat(fail(2, ELSEWHERE).closedUntil()).isNull();
    assertThat(fail(3, ELSEWHERE).closedUntil()).isEqualTo(NOW.plusSeconds(60));
  }

  @Test
  void a_definition_that_fails_everywhere_closes_nothing() {
    assertThat(fail(50, Optional.empty()).closedUntil()).isNull();
    assertThat(fail(50, Optional.of(NOW.minus(Duration.ofMinutes(61)))).closedUntil()).isNull();
  }

  @Test
  void attempts_started_before_the_denial_do_not_prolong_it() {
    QuickFailures more = fail(fail(3, ELSEWHERE), NOW.plusMillis(10), ELSEWHERE);

    assertThat(more.closedUntil()).isEqualTo(NOW.plusSeconds(60));
    assertThat(more.count()).isEqualTo(4);
    assertThat(more.times()).isOne();
  }

  @Test
  void a_refusal_closes_at_once_whatever_other_nodes_do_and_for_ten_minutes_at_most() {
    QuickFailures refused = DenylistRule.refused(QuickFailures.NONE, "no such user", NOW, NOW);
    assertThat(refused.closedUntil()).isEqualTo(NOW.plusSeconds(60));
    assertThat(refused.refused()).isTrue();
    // Of the same burst.
    assertThat(DenylistRule.refused(refused, "no such user", NOW, NOW.plusSeconds(1)))
        .isEqualTo(refused);
    long[] minutes = {2, 4, 8, 10, 10};
    for (long expected : minutes) {
      Instant trial = refused.closedUntil().plusSeconds(2);
      refused = DenylistRule.refused(refused, "no such user", trial, trial);
      assertThat(Duration.between(trial, refused.closedUntil()).toMinutes()).isEqualTo(expected);
    }
  }

  @Test
  void each_failed_trial_doubles_the_time_up_to_an_hour() {
    QuickFailures failures = fail(3, ELSEWHERE);
    long[] minutes = {2, 4, 8, 16, 32, 60, 60, 60};
    for (long expected : minutes) {
      Instant trial = failures.closedUntil().plusSeconds(2);
      failures = fail(failures, trial, Optional.of(trial.minusSeconds(30)));
      assertThat(Duration.between(trial, failures.closedUntil()).toMinutes()).isEqualTo(expected);
    }
  }
}
