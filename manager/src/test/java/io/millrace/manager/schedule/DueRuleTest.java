package io.millrace.manager.schedule;

import static io.millrace.manager.schedule.Plans.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueDecision.PassedTime;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DueRuleTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private final DueRule rule = new DueRule(Duration.ofMinutes(1));

  private static ScheduleSnapshot idle(String planned, String now) {
    return new ScheduleSnapshot(at(planned), at(now), false, 0);
  }

  private static ScheduleSnapshot running(String planned, String now, int queued) {
    return new ScheduleSnapshot(at(planned), at(now), true, queued);
  }

  @ParameterizedTest
  @EnumSource(CatchUpRule.class)
  void aPlannedTimeIsLaunchedWhenItHasCome(CatchUpRule catchUp) {
    SchedulePlan plan = Plans.every(HOUR, OverlapRule.SKIP, catchUp);

    assertThat(rule.decide(plan, idle("04:00:00", "03:59:59.999")))
        .isEqualTo(
            new DueDecision(
                List.of(), List.of(), null, false, new NextStart(at("04:00:00"), at("04:00:00"))));
    assertThat(rule.decide(plan, idle("04:00:00", "04:00:02")))
        .isEqualTo(
            new DueDecision(
                List.of(new PlannedLaunch(at("04:00:00"), RunCause.SCHEDULE, false)),
                List.of(),
                null,
                false,
                new NextStart(at("05:00:00"), at("05:00:00"))));
  }

  @Test
  void underNoneTimesThatPassedAreMissed() {
    DueDecision decision =
        rule.decide(
            Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.NONE), idle("01:00:00", "03:30:00"));

    assertThat(decision.launches()).isEmpty();
    assertThat(decision.passed())
        .extracting(PassedTime::plannedAt)
        .containsExactly(at("01:00:00"), at("02:00:00"), at("03:00:00"));
    assertThat(decision.passed())
        .allSatisfy(
            passed -> {
              assertThat(passed.state()).isEqualTo(RunState.MISSED);
              assertThat(passed.reason())
                  .isEqualTo("nothing could be started until 2026-03-02T03:30:00Z");
            });
    assertThat(decision.next().plannedAt()).isEqualTo(at("04:00:00"));
  }

  @Test
  void underLastTheNewestRunsAndTheOthersAreMissed() {
    DueDecision decision =
        rule.decide(
            Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.LAST), idle("01:00:00", "03:30:00"));

    assertThat(decision.launches())
        .containsExactly(new PlannedLaunch(at("03:00:00"), RunCause.CATCH_UP, false));
    assertThat(decision.passed())
        .extracting(PassedTime::plannedAt)
        .containsExactly(at("01:00:00"), at("02:00:00"));
  }

  @Test
  void underLastAPunctualTimeIsTheNewestOne() {
    DueDecision decision =
        rule.decide(
            Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.LAST), idle("01:00:00", "03:00:30"));

    assertThat(decision.launches())
        .containsExactly(new PlannedLaunch(at("03:00:00"), RunCause.SCHEDULE, false));
    assertThat(decision.passed()).extracting(PassedTime::state).containsOnly(RunState.MISSED);
  }

  @Test
  void underAllTheNewestRunOneAfterTheOtherUpToTheLimit() {
    DueDecision decision =
        rule.decide(
            Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.ALL), idle("01:00:00", "06:00:30"));

    assertThat(decision.launches())
        .containsExactly(
            new PlannedLaunch(at("03:00:00"), RunCause.CATCH_UP, false),
            new PlannedLaunch(at("04:00:00"), RunCause.CATCH_UP, true),
            new PlannedLaunch(at("05:00:00"), RunCause.CATCH_UP, true),
            new PlannedLaunch(at("06:00:00"), RunCause.SCHEDULE, true));
    assertThat(decision.passed())
        .extracting(PassedTime::plannedAt)
        .containsExactly(at("01:00:00"), at("02:00:00"));
  }

  @Test
  void overlapSkipRecordsTheTimeAsSkipped() {
    DueDecision decision =
        rule.decide(
            Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.LAST),
            running("04:00:00", "04:00:01", 0));

    assertThat(decision.launches()).isEmpty();
    assertThat(decision.passed())
        .containsExactly(
            new PassedTime(at("04:00:00"), RunState.SKIPPED, "the previous run had not ended"));
  }

  @Test
  void overlapQueueLetsOneWait() {
    SchedulePlan plan = Plans.every(HOUR, OverlapRule.QUEUE, CatchUpRule.LAST);

    assertThat(rule.decide(plan, running("04:00:00", "04:00:01", 0)).launches())
        .containsExactly(new PlannedLaunch(at("04:00:00"), RunCause.SCHEDULE, true));
    DueDecision second = rule.decide(plan, running("05:00:00", "05:00:01", 1));
    assertThat(second.launches()).isEmpty();
    assertThat(second.passed()).extracting(PassedTime::state).containsExactly(RunState.SKIPPED);
  }

  @Test
  void overlapReplaceStopsTheRunAndWaitsForThat() {
    SchedulePlan plan = Plans.every(HOUR, OverlapRule.REPLACE, CatchUpRule.LAST);
    DueDecision decision = rule.decide(plan, running("04:00:00", "04:00:01", 0));

    assertThat(decision.stopRunning()).isTrue();
    assertThat(decision.launches())
        .containsExactly(new PlannedLaunch(at("04:00:00"), RunCause.SCHEDULE, true));
    assertThat(rule.decide(plan, idle("04:00:00", "04:00:01")).stopRunning()).isFalse();
  }

  @Test
  void overlapReplaceStartsOnlyTheNewestOfSeveralThatAreDueTogether() {
    SchedulePlan plan = Plans.every(Duration.ofSeconds(10), OverlapRule.REPLACE, CatchUpRule.LAST);
    DueDecision decision = rule.decide(plan, idle("04:00:00", "04:00:25"));

    assertThat(decision.launches())
        .containsExactly(new PlannedLaunch(at("04:00:20"), RunCause.SCHEDULE, false));
    assertThat(decision.stopRunning()).isFalse();
    assertThat(decision.passed())
        .extracting(PassedTime::plannedAt)
        .containsExactly(at("04:00:00"), at("04:00:10"));
  }

  private static SchedulePlan nightly(String cron, CatchUpRule catchUp) {
    return Plans.plan(
        new ScheduleDefinition(cron, null, null, null, null, null, null, null, catchUp, 2, false),
        Plans.window("02:00", "06:00"));
  }

  @Test
  void underNoneATimeWhoseWindowHasEndedIsMissed() {
    DueDecision decision =
        rule.decide(nightly("30 3 * * *", CatchUpRule.NONE), idle("03:30:00", "08:00:00"));

    assertThat(decision.launches()).isEmpty();
    assertThat(decision.passed())
        .containsExactly(
            new PassedTime(
                at("03:30:00"),
                RunState.MISSED,
                "its window had ended before it could be started"));
  }

  @Test
  void caughtUpTimesWaitForTheWindowToOpenAgain() {
    SchedulePlan last = nightly("30 3,4,5 * * *", CatchUpRule.LAST);
    SchedulePlan all = nightly("30 3,4,5 * * *", CatchUpRule.ALL);

    assertThat(rule.decide(last, idle("03:30:00", "08:00:00")).launches())
        .containsExactly(new PlannedLaunch(at("05:30:00"), RunCause.CATCH_UP, true));
    DueDecision decision = rule.decide(all, idle("03:30:00", "08:00:00"));
    assertThat(decision.launches())
        .containsExactly(
            new PlannedLaunch(at("04:30:00"), RunCause.CATCH_UP, true),
            new PlannedLaunch(at("05:30:00"), RunCause.CATCH_UP, true));
    assertThat(decision.passed()).extracting(PassedTime::plannedAt).containsExactly(at("03:30:00"));
    assertThat(decision.next().plannedAt()).isEqualTo(Instant.parse("2026-03-03T03:30:00Z"));
  }

  @Test
  void withAllTimesPlannedForTheOpeningQueueBehindWaitingOnes() {
    SchedulePlan plan = nightly("0 2 * * *", CatchUpRule.ALL);
    ScheduleSnapshot opening = new ScheduleSnapshot(at("02:00:00"), at("02:00:01"), false, 1);

    assertThat(rule.decide(plan, opening).launches())
        .containsExactly(new PlannedLaunch(at("02:00:00"), RunCause.SCHEDULE, true));
  }

  @Test
  void timesThatPassDuringAPauseAreOneSpanAndTheScheduleContinues() {
    SchedulePlan plan = Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.ALL);
    NextStart current = new NextStart(at("04:00:00"), at("04:00:00"));

    DueDecision passed = rule.pass(plan, current, at("09:30:00"), "paused by ann");
    assertThat(passed.launches()).isEmpty();
    assertThat(passed.earlier())
        .isEqualTo(
            new PassedSpan(
                at("04:00:00"),
                at("09:00:00"),
                6,
                "paused by ann; 6 planned times since 2026-03-02T04:00:00Z"));
    assertThat(passed.next().plannedAt()).isEqualTo(at("10:00:00"));
    assertThat(rule.pass(plan, current, at("03:59:00"), "paused").earlier()).isNull();
    assertThat(rule.pass(plan, current, at("04:10:00"), "paused by ann").earlier().reason())
        .isEqualTo("paused by ann");
  }

  @Test
  void ofTimesWhoseWindowHasEndedNoneWaitsIfTheNextPlannedTimeOpensTheWindow() {
    SchedulePlan plan = Plans.cron("0 2-5 * * *", "UTC", Plans.window("02:00", "06:00"));
    DueDecision decision = rule.decide(plan, idle("04:00:00", "08:00:00"));

    assertThat(decision.launches()).isEmpty();
    assertThat(decision.passed())
        .extracting(PassedTime::plannedAt, PassedTime::state)
        .containsExactly(
            tuple(at("04:00:00"), RunState.MISSED), tuple(at("05:00:00"), RunState.MISSED));
    assertThat(decision.next().plannedAt()).isEqualTo(Instant.parse("2026-03-03T02:00:00Z"));
  }

  @Test
  void aClockThatStepsForwardByAMonthStartsOneRunAndRecordsTheRestBriefly() {
    SchedulePlan plan = Plans.every(Duration.ofMinutes(1), OverlapRule.SKIP, CatchUpRule.LAST);
    Instant now = at("01:00:30").plus(Duration.ofDays(31));
    Replay replay = new Replay(rule, plan, at("01:00:00"));
    replay.decideUntilQuiet(now, false, 0);

    assertThat(replay.launched())
        .containsExactly(new PlannedLaunch(now.minusSeconds(30), RunCause.SCHEDULE, false));
    assertThat(replay.missed()).isEqualTo(31 * 24 * 60);
    assertThat(replay.records()).isLessThan(120);
  }

  @Test
  void ofVeryManyMissedTimesTheNewestAreCaughtUpAndAllAreAccountedFor() {
    DueRule smallSteps = new DueRule(Duration.ofMinutes(1), 50);
    SchedulePlan plan =
        Plans.every(Duration.ofMinutes(1), OverlapRule.SKIP, CatchUpRule.ALL, 20, null);
    Replay replay = new Replay(smallSteps, plan, at("00:01:00"));
    replay.decideUntilQuiet(at("10:00:30"), false, 0);

    assertThat(replay.launched()).hasSize(21);
    assertThat(replay.launched().get(20).plannedAt()).isEqualTo(at("10:00:00"));
    assertThat(replay.missed()).isEqualTo(600 - 21);
  }

  @Test
  void aClockThatStepsBackRepeatsNothing() {
    SchedulePlan plan = Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.LAST);
    NextStart next = rule.decide(plan, idle("04:00:00", "04:00:01")).next();

    DueDecision afterStep =
        rule.decide(plan, new ScheduleSnapshot(next.plannedAt(), at("01:30:00"), false, 0));

    assertThat(afterStep.launches()).isEmpty();
    assertThat(afterStep.next()).isEqualTo(next);
  }

  @Test
  void aChangedScheduleBeginsNowAndNeverBeforeWhatWasDecidedUpon() {
    SchedulePlan changed = Plans.every(Duration.ofMinutes(30), OverlapRule.SKIP, CatchUpRule.ALL);

    assertThat(rule.begin(changed, at("04:10:00"), at("01:00:00")).plannedAt())
        .as("nothing before now is caught up")
        .isEqualTo(at("04:30:00"));
    assertThat(rule.begin(changed, at("03:10:00"), at("04:30:00")).plannedAt())
        .as("the clock went back behind the last planned time")
        .isEqualTo(at("05:00:00"));
    assertThat(rule.begin(changed, at("04:10:00"), null).plannedAt()).isEqualTo(at("04:30:00"));
  }

  @Test
  void anEndedScheduleIsNeverDue() {
    SchedulePlan over = Plans.cron("0 0 12 1 1 ? 2020", "UTC", null);

    assertThat(rule.begin(over, at("00:00:00"), null)).isEqualTo(NextStart.NEVER);
    assertThat(rule.decide(over, new ScheduleSnapshot(null, at("00:00:00"), false, 0)).next())
        .isEqualTo(NextStart.NEVER);
  }

  @Test
  void withJitterATimeIsDueLaterUnderItsPlannedTime() {
    SchedulePlan plan =
        Plans.every(HOUR, OverlapRule.SKIP, CatchUpRule.LAST, 3, Duration.ofMinutes(30));
    NextStart next = rule.begin(plan, at("03:30:00"), null);

    assertThat(next.plannedAt()).isEqualTo(at("04:00:00"));
    assertThat(next.dueAt()).isAfter(at("04:00:00")).isBefore(at("04:30:00"));
    ScheduleSnapshot early =
        new ScheduleSnapshot(next.plannedAt(), next.dueAt().minusMillis(1), false, 0);
    assertThat(rule.decide(plan, early).launches()).isEmpty();
    ScheduleSnapshot due = new ScheduleSnapshot(next.plannedAt(), next.dueAt(), false, 0);
    assertThat(rule.decide(plan, due).launches())
        .containsExactly(new PlannedLaunch(at("04:00:00"), RunCause.SCHEDULE, false));
  }
}
