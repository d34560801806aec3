package io.millrace.executor.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.Outcome;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NoopProgramTest {
  @TempDir private Path folder;

  @Test
  void returnsItsArgumentAndIsFoundOnTheClassPathOfEveryNode() {
    BuiltinProgram noop =
        ServiceLoader.load(BuiltinProgram.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(program -> program.name().equals("noop"))
            .findFirst()
            .orElseThrow();
    try (NodeDrill drill = new NodeDrill(folder, noop)) {
      drill.start();
      AttemptId plain = new AttemptId(1, 1);
      AttemptId failing = new AttemptId(2, 1);
      drill.cluster.central().place(NodeDrill.program(plain, "noop"));
      drill.cluster.central().place(NodeDrill.program(failing, "noop", "7"));

      assertThat(drill.end(plain).outcome()).isEqualTo(Outcome.SUCCEEDED);
      AttemptResult end = drill.end(failing);
      assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(end.exitCode()).isEqualTo(7);
    }
  }
}
