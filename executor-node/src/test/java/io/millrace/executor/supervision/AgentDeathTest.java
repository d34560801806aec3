package io.millrace.executor.supervision;

import static io.millrace.executor.supervision.SupervisionFixture.LONG;
import static io.millrace.executor.supervision.SupervisionFixture.ending;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.execution.CommandOrder;
import io.millrace.api.job.AttemptId;
import io.millrace.platform.clock.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** An agent in a JVM of its own, killed with KILL while its attempt runs. */
@EnabledIf("io.millrace.executor.supervision.SupervisionFixture#machineCanSupervise")
class AgentDeathTest {

  private static final AttemptId ATTEMPT = new AttemptId(41, 1);

  @TempDir private Path directory;

  /** The agent: starts one attempt and waits to be killed. */
  static final class DoomedAgent {
    private DoomedAgent() {}

    public static void main(String[] arguments) throws Exception {
      Path directory = Path.of(arguments[0]);
      try (Supervisor supervisor =
          new Supervisor(
              directory.resolve("run"),
              directory.resolve("attempts"),
              UUID.fromString(arguments[1]),
              System.getenv(),
              SupervisionSettings.defaults(),
              new SystemClock())) {
        String script = "echo before; until [ -e go ]; do sleep 0.02; done; echo after; exit 4";
        supervisor
            .start(
                new CommandOrder(
                    ATTEMPT,
                    List.of("sh", "-c", script),
                    Map.of(),
                    Optional.empty(),
                    Duration.ZERO,
                    Duration.ofSeconds(1)))
            .ending()
            .join();
      }
    }
  }

  @Test
  void anAttemptContinuesWhenTheAgentIsKilledAndTheNextAgentReportsItsExit() throws Exception {
    try (SupervisionFixture fixture = new SupervisionFixture(directory)) {
      AttemptDirectory attempt = fixture.supervisor().directory(ATTEMPT);
      Process agent =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  DoomedAgent.class.getName(),
                  directory.toString(),
                  fixture.node.toString())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("agent.log").toFile())
              .start();
      try {
        await()
            .atMost(LONG)
            .until(() -> attempt.tail(LogStream.STDOUT, 100).text().equals("before\n"));
      } finally {
        agent.destroyForcibly().waitFor();
      }

      List<Recovered> recovered = fixture.supervisor().recover();

      assertThat(recovered).singleElement().isInstanceOf(Recovered.Alive.class);
      SupervisedProcess process = ((Recovered.Alive) recovered.get(0)).process();
      Files.createFile(attempt.work().resolve("go"));
      assertThat(ending(process).exitCode()).hasValue(4);
      assertThat(attempt.tail(LogStream.STDOUT, 100).text()).isEqualTo("before\nafter\n");
    }
  }
}
