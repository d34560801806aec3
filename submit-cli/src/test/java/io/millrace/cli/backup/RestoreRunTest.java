package io.millrace.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobKind;
import io.millrace.cli.output.Palette;
import io.millrace.manager.backup.CentralRestore.InterruptedJob;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestoreRunTest {
  @Test
  void theNumbersOfInterruptedJobsCanBePastedIntoACommand() {
    InterruptedJob job =
        new InterruptedJob(12_345, "report", JobKind.SUBMITTED, "e1", 1_002, "runs again");
    assertThat(RestoreRun.jobs(List.of(job)).lines(new Palette(false)))
        .containsExactly(
            "  JOB  NAME    NODE  ATTEMPT  AFTER THE RESTART",
            "12345  report  e1       1002  runs again");
  }
}
