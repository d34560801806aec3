package io.millrace.manager.schedule;

import static io.millrace.manager.schedule.Plans.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PerpetualStartsTest {
  private final DueRule rule = new DueRule(Duration.ofMinutes(1));
  private final SchedulePlan plan = Plans.perpetual(null);

  @Test
  void theFirstRunIsDueAtOnceAndTheNextAfterAShortPauseIfThereWasWork_H022() {
    NextStart first = rule.begin(plan, at("01:00:00"), null);
    assertThat(first).isEqualTo(new NextStart(at("01:00:00"), at("01:00:00")));

    DueDecision decision =
        rule.decide(plan, new ScheduleSnapshot(first.plannedAt(), at("01:00:00"), false, 0));
    assertThat(decision.launches())
        .containsExactly(new PlannedLaunch(at("01:00:00"), RunCause.SCHEDULE, false));

    NextStart afterWork = rule.afterRun(plan, decision.next(), at("01:00:05"), true);
    assertThat(afterWork.dueAt()).isEqualTo(at("01:00:06"));
    assertThat(afterWork.plannedAt()).isAfter(first.plannedAt());
    NextStart afterNothing = rule.afterRun(plan, decision.next(), at("01:00:05"), false);
    assertThat(afterNothing.dueAt()).isEqualTo(at("01:01:05"));
  }

  @Test
  void nothingIsStartedDuringARun() {
    DueDecision decision =
        rule.decide(plan, new ScheduleSnapshot(at("01:00:00"), at("01:00:10"), true, 0));

    assertThat(decision.launches()).isEmpty();
    assertThat(decision.passed()).isEmpty();
    assertThat(decision.next().dueAt()).isAfter(at("01:00:10"));
  }

  @Test
  void outsideItsWindowItIsDueWhenTheWindowOpens() {
    SchedulePlan nightly = Plans.perpetual(Plans.window("02:00", "06:00"));

    assertThat(rule.begin(nightly, at("01:00:00"), null).dueAt()).isEqualTo(at("02:00:00"));
    DueDecision late =
        rule.decide(nightly, new ScheduleSnapshot(at("05:59:59"), at("06:00:00"), false, 0));
    assertThat(late.launches()).isEmpty();
    assertThat(late.next().dueAt()).isEqualTo(Instant.parse("2026-03-03T02:00:00Z"));
    NextStart current = new NextStart(at("05:58:00"), at("05:58:00"));
    assertThat(rule.afterRun(nightly, current, at("05:59:30"), false).dueAt())
        .isEqualTo(Instant.parse("2026-03-03T02:00:00Z"));
  }

  @Test
  void aClockThatStepsBackNeitherRepeatsANameNorStopsTheRuns() {
    NextStart next =
        rule.decide(plan, new ScheduleSnapshot(at("09:00:00"), at("09:00:00"), false, 0)).next();

    NextStart afterStep = rule.afterRun(plan, next, at("08:00:05"), true);
    assertThat(afterStep.dueAt()).isEqualTo(at("08:00:06"));
    DueDecision decision =
        rule.decide(plan, new ScheduleSnapshot(afterStep.plannedAt(), afterStep.dueAt(), false, 0));
    assertThat(decision.launches())
        .singleElement()
        .satisfies(launch -> assertThat(launch.plannedAt()).isAfter(at("09:00:00")));
    NextStart resumed = rule.begin(plan, at("08:00:00"), at("09:00:00"));
    assertThat(resumed.dueAt()).isEqualTo(at("08:00:00"));
    assertThat(resumed.plannedAt()).isAfter(at("09:00:00"));
  }

  @Test
  void theEndOfARunChangesNothingForOtherSchedules() {
    SchedulePlan hourly = Plans.every(Duration.ofHours(1), OverlapRule.SKIP, CatchUpRule.LAST);
    NextStart current = new NextStart(at("05:00:00"), at("05:00:00"));

    assertThat(rule.afterRun(hourly, current, at("04:30:00"), true)).isSameAs(current);
  }
}
