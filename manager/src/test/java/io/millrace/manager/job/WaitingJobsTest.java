package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitingJobsTest {
  @ParameterizedTest
  @CsvSource({
    "false, 0, true, WAITING",
    "false, 0, false, BLOCKED",
    "false, 1, true, BLOCKED",
    "false, 2, false, BLOCKED",
    "true, 0, true, HELD",
    "true, 0, false, HELD",
    "true, 3, true, HELD",
    "true, 3, false, HELD"
  })
  void holdComesBeforeOtherJobsAndTheseBeforeASlot(
      boolean held, int unmet, boolean firstInLane, JobState expected) {
    assertThat(WaitingJobs.state(held, unmet, firstInLane)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"WAITING", "BLOCKED", "HELD", "PLACED", "RUNNING"})
  void everyWaitingStateMayBecomeEveryOther(JobState from) {
    for (JobState to : JobState.values()) {
      if (to.waits() && to != from) {
        assertThat(from.mayBecome(to)).as(from + " to " + to).isTrue();
      }
    }
  }
}
