package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.RunAs;
import io.millrace.api.job.AttemptId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of built-in programs, such as those that count the events of an external queue. */
class ShortCommandTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Optional<RunAs> NOBODY = Optional.of(new RunAs("nobody", 65_534, 65_534));

  @TempDir private Path folder;

  @Test
  void itHasTheVariablesAndTheFolderOfTheJobAndNoOtherVariables() throws InterruptedException {
    CommandAnswer answer =
        run(Optional.empty(), Optional.of(folder), "echo \"$COLOR,$MAVEN_OPTS,$(pwd)\"; exit 3");

    assertThat(answer).isEqualTo(new CommandAnswer(3, "it's red,," + folder));
  }

  @Test
  void asAnotherUserItHasThatUsersRightsAndTheSameVariablesAndFolder() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "becoming another user needs root");

    CommandAnswer answer =
        run(NOBODY, Optional.of(Path.of("/usr")), "cat; echo \"$(id -u),$COLOR,$(pwd)\"");

    assertThat(answer).isEqualTo(new CommandAnswer(0, "65534,it's red,/usr"));
  }

  @Test
  void itsSecretsAreNotInItsArguments() throws Exception {
    assumeTrue(System.getProperty("user.name").equals("root"), "becoming another user needs root");

    CommandAnswer answer = run(NOBODY, Optional.empty(), "tr '\\0' ' ' </proc/$$/cmdline; echo");

    assertThat(answer.lastLine()).contains("cmdline").doesNotContain("it's red");
  }

  @Test
  void itIsKilledAtItsTimeLimit() throws InterruptedException {
    CommandOrder launch =
        launch(Optional.empty(), Optional.empty(), Duration.ofMillis(50), "sleep 60");

    assertThat(new ShortCommand(launch).run().exitCode()).isEqualTo(137);
  }

  @Test
  void aProgramThatIsMissingIsNamed() {
    CommandOrder launch =
        new CommandOrder(
            new AttemptId(1, 1),
            List.of("/no/such/program"),
            Map.of(),
            Optional.empty(),
            SOON,
            Duration.ZERO);

    assertThatThrownBy(() -> new ShortCommand(launch).run())
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
        .hasMessageContaining("[/no/such/program] cannot be run here");
  }

  private static CommandAnswer run(Optional<RunAs> user, Optional<Path> cwd, String script)
      throws InterruptedException {
    return new ShortCommand(launch(user, cwd, SOON, script)).run();
  }

  private static CommandOrder launch(
      Optional<RunAs> user, Optional<Path> cwd, Duration limit, String script) {
    return new CommandOrder(
            new AttemptId(1, 1),
            List.of("sh", "-c", script),
            Map.of("COLOR", "it's red"),
            cwd,
            limit,
            Duration.ZERO)
        .withRunAs(user);
  }
}
