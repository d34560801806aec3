package io.millrace.executor.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.ReportedProgress;
import io.millrace.executor.supervision.AttemptDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressFileTest {
  private static final ReportedProgress HALF = new ReportedProgress(50.0, 1L, 2L, null);

  @TempDir private Path folder;
  private AttemptDirectory directory;

  @BeforeEach
  void prepare() throws IOException {
    directory = new AttemptDirectory(folder, new AttemptId(1, 1));
    directory.create();
  }

  @Test
  void aTextWithoutALineBreakIsTheReport() {
    assertThat(parse("1/2")).isEqualTo(HALF);
  }

  @Test
  void theLastCompleteLineCounts() {
    assertThat(parse("0/2\n1/2\n\n")).isEqualTo(HALF);
    assertThat(parse("0/2\n1/2\n2/")).isEqualTo(HALF);
  }

  @Test
  void onlyTheEndOfALongFileIsRead() throws IOException {
    Files.writeString(directory.progress(), "0/2 first\n".repeat(100_000) + "1/2\n");
    assertThat(ProgressFile.read(directory)).contains(HALF);
    Files.writeString(directory.progress(), "1/2 ".repeat(100_000));
    assertThat(ProgressFile.read(directory)).as("a line without a beginning").isEmpty();
  }

  @Test
  void aLinkThatTheProgramPutInItsPlaceIsNotFollowed() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "1/2\n");
    Files.createSymbolicLink(directory.progress(), secret);
    assertThat(ProgressFile.read(directory)).isEmpty();
  }

  @Test
  void noFileAndAnEmptyOneAreNoReport() throws IOException {
    assertThat(ProgressFile.read(directory)).isEmpty();
    Files.writeString(directory.progress(), "");
    assertThat(ProgressFile.read(directory)).isEmpty();
  }

  private static ReportedProgress parse(String text) {
    return ProgressFile.parse(text.getBytes(StandardCharsets.UTF_8)).orElseThrow();
  }
}
