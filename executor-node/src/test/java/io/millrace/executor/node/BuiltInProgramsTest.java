package io.millrace.executor.node;

import static io.millrace.executor.node.NodeDrill.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.PollAnswer.Assignment;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An execution node that runs built-in programs. */
class BuiltInProgramsTest {
  private static final AttemptId FIRST = new AttemptId(1, 1);

  @TempDir private Path folder;
  private NodeDrill drill;

  @BeforeEach
  void prepare() {
    drill =
        new NodeDrill(
            folder,
            new SamplePrograms.Counting(),
            new SamplePrograms.Describing(),
            new SamplePrograms.Failing());
  }

  @AfterEach
  void cleanUp() {
    drill.close();
  }

  @Test
  void runsABuiltInProgramThatPrintsAndIsStopped() {
    drill.start();
    drill.cluster.central().place(NodeDrill.program(FIRST, "counting", "from", "here"));
    eventually().until(() -> drill.stdout(FIRST).contains("1.1 [from, here] 3"));

    drill.cluster.central().stop(FIRST);

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
    assertThat(drill.stdout(FIRST)).endsWith("interrupted\n");
  }

  @Test
  void aBuiltInProgramSeesTheVariablesOfItsJob() {
    drill.start();
    Assignment plain = NodeDrill.program(FIRST, "describing");
    JobSpec spec = plain.spec().draft().env(Map.of("COLOR", "red")).spec();
    drill
        .cluster
        .central()
        .place(new Assignment(FIRST, JobKind.MANAGER, spec, null, null, plain.secret()));

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(drill.stdout(FIRST)).isEqualTo("{COLOR=red}\n");
  }

  @Test
  void tellsWhyABuiltInProgramFailed() {
    drill.start();
    drill.cluster.central().place(NodeDrill.program(FIRST, "failing"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.reason()).contains("nothing to read");
    assertThat(end.stderrTail()).contains("IllegalStateException", "SamplePrograms");
  }

  @Test
  void namesTheProgramsItKnowsWhenAskedForAnother() {
    drill.start();
    drill.cluster.central().place(NodeDrill.program(FIRST, "juggling"));

    AttemptResult end = drill.end(FIRST);

    assertThat(end.outcome()).isEqualTo(Outcome.START_FAILED);
    assertThat(end.reason()).contains("juggling", "counting, describing, failing");
  }

  @Test
  void reportsAProgramThatARestartHasCutShort() {
    drill.start(NodeDrill::keepingProcesses);
    drill.cluster.central().place(NodeDrill.program(FIRST, "counting"));
    eventually().until(() -> drill.cluster.central().started(FIRST));

    drill.stop();

    assertThat(drill.end(FIRST).outcome()).isEqualTo(Outcome.STOPPED);
  }
}
