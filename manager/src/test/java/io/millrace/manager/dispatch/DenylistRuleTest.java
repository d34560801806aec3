package io.millrace.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.dispatch.DenylistRule.Denial;
import io.millrace.manager.dispatch.DenylistRule.ItemFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DenylistRuleTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private static List<ItemFailure> failed(int items, String succeededOn, int elsewhere) {
    return IntStream.rangeClosed(1, items)
        .mapToObj(
            item ->
                new ItemFailure(
                    "element " + item,
                    NOW,
                    "exit code 3",
                    item > 3 ? null : succeededOn,
                    elsewhere))
        .toList();
  }

  private static Denial fail(Denial before, List<ItemFailure> failures, Instant at) {
    return DenylistRule.failed(before, failures, at.minusSeconds(1), at);
  }

  private static Denial denied() {
    return DenylistRule.judged(Denial.NONE, failed(3, "e1", 1), NOW);
  }

  @Test
  void three_items_that_succeeded_elsewhere_close_for_a_minute_and_the_reason_names_them() {
    assertThat(DenylistRule.judged(Denial.NONE, failed(2, "e1", 9), NOW).until()).isNull();
    assertThat(denied().until()).isEqualTo(NOW.plusSeconds(60));
    assertThat(denied().count()).isEqualTo(3);
    assertThat(denied().reason())
        .isEqualTo(
            "element 1, element 2, element 3 failed there soon after starting (exit code 3) and then"
                + " succeeded on e1");
  }

  @Test
  void items_that_succeeded_nowhere_close_nothing() {
    assertThat(fail(Denial.NONE, failed(20, null, 0), NOW).until()).isNull();
    assertThat(fail(Denial.NONE, failed(9, null, 10), NOW).until()).isNull();
  }

  @Test
  void a_node_on_which_everything_fails_is_denied_the_definition_though_nothing_is_tried_again() {
    assertThat(fail(Denial.NONE, failed(10, null, 9), NOW).until()).isNull();
    assertThat(fail(Denial.NONE, failed(10, null, 10), NOW).until()).isEqualTo(NOW.plusSeconds(60));
  }

  @Test
  void attempts_started_before_the_denial_do_not_prolong_it() {
    assertThat(fail(denied(), failed(4, "e1", 1), NOW.plusMillis(10))).isEqualTo(denied());
  }

  @Test
  void a_refusal_closes_at_once_whatever_other_nodes_do_and_for_ten_minutes_at_most() {
    Denial refused = DenylistRule.refused(Denial.NONE, "no such user", NOW, NOW);
    assertThat(refused.until()).isEqualTo(NOW.plusSeconds(60));
    assertThat(refused.refused()).isTrue();
    // Of the same burst.
    assertThat(DenylistRule.refused(refused, "no such user", NOW, NOW.plusSeconds(1)))
        .isEqualTo(refused);
    long[] minutes = {2, 4, 8, 10, 10};
    for (long expected : minutes) {
      Instant trial = refused.until().plusSeconds(2);
      refused = DenylistRule.refused(refused, "no such user", trial, trial);
      assertThat(Duration.between(trial, refused.until()).toMinutes()).isEqualTo(expected);
    }
  }

  @Test
  void each_failed_trial_doubles_the_time_up_to_an_hour() {
    Denial denial = denied();
    long[] minutes = {2, 4, 8, 16, 32, 60, 60, 60};
    for (long expected : minutes) {
      Instant trial = denial.until().plusSeconds(2);
      denial = fail(denial, failed(4, "e1", 1), trial);
      assertThat(Duration.between(trial, denial.until()).toMinutes()).isEqualTo(expected);
    }
  }
}
