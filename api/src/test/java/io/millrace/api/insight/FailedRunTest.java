package io.millrace.api.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.QueueDetails.FailedRun;
import io.millrace.api.job.AttemptId;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailedRunTest {
  @Test
  void itDescribesTheEndAndTheLastLineOfOutput() {
    assertThat(run(3, null, "exited with code 3", "connecting\nno such customer\n\n").words())
        .isEqualTo("worker 7.2 on e1, exit code 3: no such customer");
  }

  @Test
  void aRunWithoutOutputDescribesOnlyItsEnd() {
    assertThat(run(null, 9, "killed", " \n").words()).isEqualTo("worker 7.2 on e1, signal 9");
    assertThat(run(null, null, "no such file", null).words())
        .isEqualTo("worker 7.2 on e1, no such file");
    assertThat(run(null, null, null, null).words()).isEqualTo("worker 7.2 on e1, failed");
  }

  @Test
  void aLineThatIsTooLongIsCut() {
    assertThat(run(1, null, null, "x".repeat(5_000)).words()).endsWith("x…").hasSizeLessThan(400);
  }

  private static FailedRun run(Integer exit, Integer signal, String reason, String stderr) {
    return new FailedRun(new AttemptId(7, 2), "e1", Instant.EPOCH, exit, signal, reason, stderr);
  }
}
