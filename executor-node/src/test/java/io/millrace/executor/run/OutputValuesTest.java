package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a step writes to MILLRACE_OUTPUT for the steps that need it. */
final class OutputValuesTest {
  @TempDir private Path folder;
  private AttemptDirectory directory;

  @BeforeEach
  void create() throws IOException {
    directory = new AttemptDirectory(folder, new AttemptId(1, 1));
    directory.create();
  }

  @Test
  void theLastLineOfANameCounts() {
    assertThat(OutputValues.parse("a=1\n\nb=x = y\r\na=2").values())
        .isEqualTo(Map.of("a", "2", "b", "x = y"));
  }

  @Test
  void aLineThatGivesNoValueIsNamed() {
    OutputValues read = OutputValues.parse("a=1\nno value\n");
    assertThat(read.values()).isEmpty();
    assertThat(read.problem()).contains("line 2").contains("NAME=value");
  }

  @Test
  void anAttemptWithoutTheFileGivesNothing() {
    assertThat(OutputValues.read(directory)).isEqualTo(new OutputValues(Map.of(), null));
  }

  @Test
  void aFileThatIsTooLongIsAProblem() throws IOException {
    Files.writeString(directory.values(), "a=" + "x".repeat(OutputValues.MAX_BYTES));
    assertThat(OutputValues.read(directory).problem())
        .contains(Integer.toString(OutputValues.MAX_BYTES));
  }

  @Test
  void aLinkToAnotherFileIsNotFollowed() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "a=secret");
    Files.createSymbolicLink(directory.values(), other);
    assertThat(OutputValues.read(directory).values()).isEmpty();
  }
}
