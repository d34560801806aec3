package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to every element is derived, and is told once. */
class ElementHistoryTest {
  private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

  @Test
  void whatHappensToEveryElementIsDerived() {
    assertThat(words(element(17L), List.of(attempt(1, 5, 6), attempt(2, 20, null)), List.of()))
        .containsExactly("submitted by ann", "placed on e1", "started on e1", "placed on e1");
  }

  @Test
  void whatWasWrittenIsInsertedByItsTime() {
    List<JobEvent> written =
        List.of(
            line(3, JobState.HELD, 0, "held by ann"),
            line(4, JobState.WAITING, 0, "released by ann"),
            line(9, JobState.WAITING, 1, "exit code 3"),
            line(30, JobState.SUCCEEDED, 2, "succeeded"));
    assertThat(words(element(17L), List.of(attempt(1, 5, 6), attempt(2, 20, 21)), written))
        .containsExactly(
            "submitted by ann",
            "held by ann",
            "released by ann",
            "placed on e1",
            "started on e1",
            "exit code 3",
            "placed on e1",
            "started on e1",
            "succeeded");
  }

  @Test
  void theOrderOfEachListIsKeptWhenTheClockWasSetBack() {
    List<JobEvent> written =
        List.of(
            line(9, JobState.WAITING, 1, "exit code 3"),
            line(2, JobState.SUCCEEDED, 2, "succeeded"));
    assertThat(words(element(17L), List.of(attempt(1, 5, 6), attempt(2, 1, 1)), written))
        .containsSubsequence("submitted by ann", "placed on e1", "started on e1", "placed on e1")
        .containsSubsequence("exit code 3", "succeeded")
        .hasSize(7);
  }

  @Test
  void linesOfAnOlderVersionAreNotToldTwice() {
    List<JobEvent> written =
        List.of(
            line(0, JobState.WAITING, 0, "submitted by ann"),
            line(5, JobState.PLACED, 1, "placed on e1"));
    assertThat(words(element(17L), List.of(attempt(1, 5, 6)), written))
        .containsExactly("submitted by ann", "placed on e1", "started on e1");
  }

  @Test
  void otherJobsHaveTheHistoryThatWasWritten() {
    List<JobEvent> written = List.of(line(0, JobState.WAITING, 0, "submitted by ann"));
    assertThat(ElementHistory.of(element(null), List.of(attempt(1, 5, 6)), written))
        .isEqualTo(written);
  }

  private static List<String> words(
      JobView job, List<AttemptView> attempts, List<JobEvent> written) {
    return ElementHistory.of(job, attempts, written).stream().map(JobEvent::words).toList();
  }

  private static JobEvent line(int second, JobState state, int attempt, String words) {
    return new JobEvent(START.plusSeconds(second), state, attempt, words);
  }

  private static AttemptView attempt(int number, int placed, Integer started) {
    return new AttemptView(
        number,
        "e1",
        JobState.RUNNING,
        START.plusSeconds(placed),
        started == null ? null : START.plusSeconds(started),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  private static JobView element(Long array) {
    return new JobView(
        18,
        "frames",
        JobKind.SUBMITTED,
        JobState.RUNNING,
        null,
        null,
        "ann",
        0,
        "default",
        1,
        "e1",
        null,
        null,
        null,
        null,
        START,
        null,
        null,
        null,
        "ann",
        null,
        List.of(),
        null,
        array,
        array == null ? null : 1L,
        null,
        null);
  }
}
