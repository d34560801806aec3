package io.millrace.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobKind;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.backup.RestoreRun.Request;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Terminal;
import io.millrace.manager.backup.CentralRestore.Restored;
import io.millrace.manager.backup.Interruptions.InterruptedJob;
import io.millrace.platform.clock.ManualClock;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RestoreRunTest {
  @Test
  void theNumbersOfInterruptedJobsCanBePastedIntoACommand() {
    InterruptedJob job =
        new InterruptedJob(12_345, "report", JobKind.SUBMITTED, "e1", 1_002, "runs again");
    assertThat(RestoreRun.jobs(List.of(job)).lines(new Palette(false, Palette.UNKNOWN_WIDTH)))
        .containsExactly(
            "  JOB  NAME    NODE  ATTEMPT  AFTER THE RESTART",
            "12345  report  e1       1002  runs again");
  }

  @Test
  void theReportNamesTheWaitOnlyIfThereIsOne() {
    assertThat(report(null, false)).contains("single instances and jobs of lanes wait until 2026");
    assertThat(report(Duration.ZERO, false)).doesNotContain("wait until");
  }

  @Test
  void aDrainedClusterWouldRunJobsAgainOnceANodeIsUndrained() {
    assertThat(report(null, false))
        .contains("jobs that were RUNNING: 2; those that have ended since run again\n");
    assertThat(report(null, true))
        .contains(
            "start nothing",
            "jobs that were RUNNING: 2; those that have ended since would run again once a node is"
                + " undrained\n");
  }

  private static String report(Duration hold, boolean drained) {
    Restored central =
        new Restored(
            CommandRun.NOW,
            7,
            Map.of("RUNNING", 2L),
            List.of(),
            List.of(),
            CommandRun.NOW.plusSeconds(70),
            1_000,
            Map.of(),
            0);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), stream, stream, false, false);
    Invocation invocation =
        new Invocation(terminal, Map.of(), new FakeCluster(), new ManualClock(CommandRun.NOW));
    new RestoreRun(invocation, new Request(Path.of("b.zip"), false, hold, drained))
        .print(List.of(), central);
    return out.toString(StandardCharsets.UTF_8);
  }
}
