package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every definition that the manual of moving shows can be applied as it stands. */
class MigrationManualTest {
  private static final Path MANUAL = Path.of("..", "docs", "migration.md");

  static Stream<String> definitions() throws IOException {
    List<String> blocks = new ArrayList<>();
    StringBuilder block = new StringBuilder();
    for (String line : Files.readAllLines(MANUAL)) {
      if (line.startsWith("    ")) {
        block.append(line.substring(4)).append('\n');
      } else {
        blocks.add(block.toString());
        block.setLength(0);
      }
    }
    List<String> found = blocks.stream().filter(one -> one.contains("kind: ")).toList();
    assertThat(found).hasSizeGreaterThanOrEqualTo(3);
    return found.stream();
  }

  @ParameterizedTest
  @MethodSource("definitions")
  void passesTheCheck(String definition) {
    CommandRun run = new CommandRun(new FakeCluster()).reading(definition);
    assertThat(run.run("check", "-")).as(run.messages()).isZero();
  }
}
