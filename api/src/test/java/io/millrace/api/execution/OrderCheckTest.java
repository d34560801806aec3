package io.millrace.api.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OrderCheckTest {

  private final OrderCheck check = new OrderCheck(StandardCharsets.UTF_8);

  @Test
  void anOrdinaryLaunchHasNoProblem() {
    assertThat(check.problem(launch(Map.of("NAME_1", "grün"), "echo", "", "-n", "ü"))).isEmpty();
  }

  @Test
  void aLaunchNeedsAProgram() {
    assertThat(check.problem(launch(Map.of()))).get().asString().contains("empty");
    assertThat(check.problem(launch(Map.of(), ""))).get().asString().contains("empty");
    assertThat(check.problem(launch(Map.of(), "-c"))).get().asString().contains("./-c");
  }

  @Test
  void aVariableThatAShellWouldDropIsNamed() {
    assertThat(check.problem(launch(Map.of("my.name", "x"), "true")))
        .get()
        .asString()
        .contains("my.name");
  }

  @Test
  void anArgumentThatThisJvmCannotWriteIsNamedAndNotMangled() {
    OrderCheck ascii = new OrderCheck(StandardCharsets.US_ASCII);
    assertThat(ascii.problem(launch(Map.of(), "echo", "ü"))).get().asString().contains("LC_ALL");
  }

  @Test
  void aNulCharacterCannotBePassed() {
    assertThat(check.problem(launch(Map.of("NAME", "a\0b"), "true")))
        .get()
        .asString()
        .contains("NUL");
    assertThat(check.problem(launch(Map.of(), "echo", "a\0b"))).get().asString().contains("NUL");
  }

  @Test
  void aMissingWorkingDirectoryIsNamed() {
    CommandOrder launch =
        new CommandOrder(
            new AttemptId(1, 1),
            List.of("true"),
            Map.of(),
            Optional.of(Path.of("/no/such/place")),
            Duration.ZERO,
            Duration.ZERO);
    assertThat(check.problem(launch)).get().asString().contains("/no/such/place");
  }

  private static CommandOrder launch(Map<String, String> environment, String... argv) {
    return new CommandOrder(
        new AttemptId(1, 1),
        List.of(argv),
        environment,
        Optional.empty(),
        Duration.ZERO,
        Duration.ZERO);
  }
}
