package io.millrace.manager.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueDecision.PassedTime;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever the caller's delays, each planned time becomes a run or a record, once. */
class EveryPlannedTimeTest {
  private static final Instant BEGIN = Instant.parse("2026-03-28T00:00:00Z");

  @Property(tries = 300)
  void eachPlannedTimeIsLaunchedOnceOrRecordedOnce(
      @ForAll long seed,
      @ForAll OverlapRule overlap,
      @ForAll CatchUpRule catchUp,
      @ForAll @IntRange(min = 1, max = 12) int limit,
      @ForAll @IntRange(min = 5, max = 200) int mostAtOnce) {
    Random random = new Random(seed);
    SchedulePlan plan = plan(random, overlap, catchUp, limit);
    DueRule rule = new DueRule(Duration.ofMinutes(1), mostAtOnce);
    Instant first = rule.begin(plan, BEGIN, null).plannedAt();
    Replay replay = new Replay(rule, plan, first);
    Instant now = BEGIN;
    Instant runEnds = Instant.EPOCH;
    int queued = 0;
    for (int step = 0; step < 60; step++) {
      now = now.plus(pause(random));
      if (runEnds.isBefore(now) && queued > 0) {
        queued--;
        runEnds = now.plus(pause(random));
      }
      while (replay.next().dueAt() != null && !replay.next().dueAt().isAfter(now)) {
        boolean running = runEnds.isAfter(now);
        DueDecision decision = replay.decide(now, running, queued);
        assertFits(decision, running, queued, catchUp);
        queued += (int) decision.launches().stream().filter(PlannedLaunch::queued).count();
        if (decision.launches().stream().anyMatch(launch -> !launch.queued())) {
          runEnds = now.plus(pause(random));
        }
      }
    }
    assertAccountedFor(replay, plan, first);
  }

  private static void assertFits(
      DueDecision decision, boolean running, int queued, CatchUpRule catchUp) {
    long atOnce = decision.launches().stream().filter(launch -> !launch.queued()).count();
    assertThat(atOnce).isLessThanOrEqualTo(running || queued > 0 ? 0 : 1);
    if (catchUp != CatchUpRule.ALL) {
      assertThat(decision.launches().stream().filter(PlannedLaunch::queued).count() + queued)
          .isLessThanOrEqualTo(Math.max(1, queued));
    }
    if (decision.stopRunning()) {
      assertThat(running).isTrue();
    }
    assertThat(decision.passed())
        .extracting(PassedTime::state)
        .isSubsetOf(RunState.MISSED, RunState.SKIPPED);
  }

  /** Planned times one by one against what was recorded, in order. */
  private static void assertAccountedFor(Replay replay, SchedulePlan plan, Instant first) {
    List<Instant> single =
        new ArrayList<>(
            Stream.concat(
                    replay.launched().stream().map(PlannedLaunch::plannedAt),
                    replay.passed().stream().map(PassedTime::plannedAt))
                .toList());
    Collections.sort(single);
    int at = 0;
    List<PassedSpan> spans = new ArrayList<>(replay.spans());
    Optional<Instant> planned = Optional.of(first);
    while (planned.isPresent() && planned.get().isBefore(replay.next().plannedAt())) {
      Instant time = planned.get();
      if (!spans.isEmpty() && time.equals(spans.get(0).first())) {
        PassedSpan span = spans.remove(0);
        for (long inSpan = 1; inSpan < span.count(); inSpan++) {
          time = plan.next(time).orElseThrow();
        }
        assertThat(time).isEqualTo(span.last());
      } else {
        assertThat(single).element(at++).isEqualTo(time);
      }
      planned = plan.next(time);
    }
    assertThat(single).hasSize(at);
    assertThat(spans).isEmpty();
  }

  private static SchedulePlan plan(
      Random random, OverlapRule overlap, CatchUpRule catchUp, int limit) {
    Duration every = Duration.ofSeconds(20 + random.nextInt(3600));
    Duration jitter = random.nextBoolean() ? null : Duration.ofSeconds(random.nextInt(600));
    String cron =
        List.of("*/5 * * * *", "30 1,2,3 * * *", "15/20 * * * * ?", "7 * * * *")
            .get(random.nextInt(4));
    boolean byCron = random.nextBoolean();
    return Plans.plan(
        new ScheduleDefinition(
            byCron ? cron : null,
            byCron ? null : every,
            null,
            "Europe/Amsterdam",
            null,
            null,
            jitter,
            overlap,
            catchUp,
            limit,
            false),
        random.nextInt(3) == 0 ? Plans.window("22:00", "05:00") : null);
  }

  /** Mostly short, sometimes hours. */
  private static Duration pause(Random random) {
    int max = random.nextInt(6) == 0 ? 20_000 : 120;
    return Duration.ofMillis(1 + random.nextInt(max * 1000));
  }
}
