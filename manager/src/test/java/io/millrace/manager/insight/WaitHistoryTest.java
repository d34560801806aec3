package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.insight.ShapeWaitDao.Span;
import io.millrace.manager.insight.WaitHistory.WaitingTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitHistoryTest {
  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
  private static final JobSpec PLAIN = JobDraft.command("/bin/true").spec();

  private static Instant at(int seconds) {
    return START.plusSeconds(seconds);
  }

  private static JobEvent event(int seconds, JobState state, int attempt, String words) {
    return new JobEvent(at(seconds), state, attempt, words);
  }

  private static Span span(WaitCode code, int from, Integer until) {
    return new Span(
        from, 1, new WaitReason(code, code + " words"), at(from), until == null ? null : at(until));
  }

  private static List<WaitSpan> waits(
      JobSpec spec, int now, List<Span> shape, JobEvent... history) {
    return WaitHistory.of(WaitingTimes.of(spec, false, List.of(history)), shape, at(now));
  }

  private static WaitSpan wait(WaitCode code, String words, int from, Integer until) {
    return new WaitSpan(code, words, at(from), until == null ? null : at(until));
  }

  @Test
  void every_second_from_submission_to_start_has_a_reason() {
    List<WaitSpan> waits =
        waits(
            PLAIN,
            500,
            List.of(
                span(WaitCode.NO_SLOT, -100, 20),
                span(WaitCode.TURN, 20, 60),
                span(WaitCode.NO_SLOT, 90, 200)),
            event(0, JobState.WAITING, 0, "submitted by ann"),
            event(100, JobState.PLACED, 1, "placed on e1"),
            event(101, JobState.RUNNING, 1, "started on e1"),
            event(400, JobState.SUCCEEDED, 1, "succeeded"));

    assertThat(waits)
        .containsExactly(
            wait(WaitCode.NO_SLOT, "NO_SLOT words", 0, 20),
            wait(WaitCode.TURN, "TURN words", 20, 60),
            wait(WaitCode.SOON, "the next dispatch", 60, 90),
            wait(WaitCode.NO_SLOT, "NO_SLOT words", 90, 100));
    assertThat(waits.stream().map(one -> Duration.between(one.from(), one.until())))
        .map(Duration::toSeconds)
        .containsExactly(20L, 40L, 30L, 10L);
  }

  @Test
  void reasons_recorded_slightly_late_count_from_the_start() {
    assertThat(
            waits(
                PLAIN,
                100,
                List.of(span(WaitCode.NO_NODE, 2, null)),
                event(0, JobState.WAITING, 0, "submitted by ann")))
        .containsExactly(wait(WaitCode.NO_NODE, "NO_NODE words", 0, null));
  }

  @Test
  void pauses_holds_and_retries_each_have_their_span() {
    JobSpec spec = PLAIN.draft().notBefore(at(10)).spec();

    assertThat(
            waits(
                spec,
                1000,
                List.of(),
                event(0, JobState.HELD, 0, "submitted by ann"),
                event(5, JobState.WAITING, 0, "released by bob"),
                event(12, JobState.PLACED, 1, "placed on e1"),
                event(20, JobState.WAITING, 1, "exit code 3; retry 1 of 2 after 30s"),
                event(40, JobState.HELD, 1, "held by bob: broken input"),
                event(60, JobState.WAITING, 1, "released by bob"),
                event(61, JobState.PLACED, 2, "placed on e2"),
                event(70, JobState.SUCCEEDED, 2, "succeeded")))
        .containsExactly(
            wait(WaitCode.HELD, "submitted by ann on hold", 0, 5),
            wait(WaitCode.NOT_BEFORE, "its time, " + at(10), 5, 10),
            wait(WaitCode.SOON, "the next dispatch", 10, 12),
            wait(WaitCode.BACKOFF, "exit code 3; retry 1 of 2 after 30s", 20, 40),
            wait(WaitCode.HELD, "held by bob: broken input", 40, 60),
            wait(WaitCode.SOON, "the next dispatch", 60, 61));
  }

  @Test
  void a_continuing_pause_has_no_end_yet() {
    assertThat(
            waits(
                PLAIN,
                25,
                List.of(span(WaitCode.NO_SLOT, 0, null)),
                event(20, JobState.WAITING, 1, "exit code 3; retry 1 of 2 after 30s")))
        .containsExactly(wait(WaitCode.BACKOFF, "exit code 3; retry 1 of 2 after 30s", 20, null));
  }

  @Test
  void blocked_jobs_name_what_blocks_them() {
    JobSpec after = PLAIN.draft().after(List.of(new Dependency(7, null))).lane("x").spec();
    JobSpec lane = PLAIN.draft().lane("x").spec();

    assertThat(waits(after, 9, List.of(), event(0, JobState.BLOCKED, 0, "submitted by ann")))
        .containsExactly(wait(WaitCode.DEPENDENCY, "the end of job 7", 0, null));
    assertThat(waits(lane, 9, List.of(), event(0, JobState.BLOCKED, 0, "submitted by ann")))
        .containsExactly(wait(WaitCode.LANE, "earlier jobs of lane x", 0, null));
  }

  @Test
  void an_element_that_is_blocked_waits_for_its_turn_in_its_array_and_not_for_a_lane() {
    JobSpec after = PLAIN.draft().after(List.of(new Dependency(7, null))).spec();
    List<JobEvent> history =
        List.of(
            event(0, JobState.WAITING, 0, "submitted by ann"),
            event(5, JobState.BLOCKED, 0, "its workflow is paused"));

    for (JobSpec spec : List.of(PLAIN, after)) {
      assertThat(WaitHistory.of(WaitingTimes.of(spec, true, history), List.of(), at(9)))
          .containsExactly(
              wait(WaitCode.SOON, "the next dispatch", 0, 5),
              wait(WaitCode.ARRAY_TURN, "its turn in its array", 5, null));
    }
  }

  @Test
  void lines_that_change_no_state_split_no_span() {
    assertThat(
            waits(
                PLAIN,
                50,
                List.of(span(WaitCode.NO_SLOT, 0, null)),
                event(0, JobState.WAITING, 0, "submitted by ann"),
                event(10, JobState.WAITING, 0, "priority set to 5 by bob")))
        .containsExactly(wait(WaitCode.NO_SLOT, "NO_SLOT words", 0, null));
  }
}
