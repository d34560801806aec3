package io.millrace.executor.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.batch.ResultLines.ResultLine;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.LogStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultLinesTest {
  @TempDir private Path folder;
  private AttemptDirectory directory;
  private ResultLines lines;

  @BeforeEach
  void prepare() throws IOException {
    directory = new AttemptDirectory(folder, new AttemptId(1, 1));
    directory.create();
    lines = new ResultLines(directory, 0);
  }

  @Test
  void resultsAreReadAmongLinesOfLogAndOnlyWhenTheyAreComplete() throws IOException {
    write("starting\n" + ok("a") + "\n{\"id\":\"b\",");
    assertThat(read()).containsExactly("a");
    long complete = lines.complete();
    write("\"ok\":true}\n");
    assertThat(read()).containsExactly("b");
    assertThat(new ResultLines(directory, complete).next())
        .as("what a restarted agent reads again")
        .extracting(line -> line.result().id(), ResultLine::at)
        .containsExactly(tuple("b", complete));
  }

  @Test
  void aLineThatIsTooLongIsNotKeptInMemoryAndTheNextOneIsRead() throws IOException {
    write("x".repeat(3_000_000) + ok("a") + "\n" + ok("b") + "\n");
    assertThat(read()).containsExactly("b");
  }

  @Test
  void theLastLineNeedsNoLineBreakOnceTheWorkerHasEnded() throws IOException {
    write(ok("a") + "\n" + ok("b"));
    assertThat(read()).containsExactly("a");
    assertThat(lines.rest()).extracting(line -> line.result().id()).containsExactly("b");
  }

  private List<String> read() throws IOException {
    List<String> ids = new ArrayList<>();
    while (lines.hasMore()) {
      lines.next().forEach(line -> ids.add(line.result().id()));
    }
    return ids;
  }

  private void write(String text) throws IOException {
    Files.writeString(
        directory.output(LogStream.STDOUT),
        text,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static String ok(String id) {
    return "{\"id\":\"%s\",\"ok\":true}".formatted(id);
  }
}
