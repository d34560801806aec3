package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineRecordTest {

  @TempDir private Path directory;

  @Test
  void whatWasWrittenIsReadAgain() throws IOException {
    LineRecord record = new LineRecord(Map.of("reason", "a = b", "empty", ""));
    record.write(directory.resolve("record"));
    assertThat(LineRecord.read(directory.resolve("record"))).contains(record);
  }

  @Test
  void aLineEndInAValueDoesNotForgeALine() throws IOException {
    new LineRecord(Map.of("reason", "x\ncode=0\r\ncomplete")).write(directory.resolve("record"));
    assertThat(LineRecord.read(directory.resolve("record")))
        .contains(new LineRecord(Map.of("reason", "x code=0 complete")));
  }

  @Test
  void aRecordThatWasCutOffCountsAsAbsent() throws IOException {
    Files.writeString(directory.resolve("record"), "pid=12\nstart=3");
    assertThat(LineRecord.read(directory.resolve("record"))).isEmpty();
    assertThat(LineRecord.read(directory.resolve("missing"))).isEmpty();
  }

  @Test
  void aPipeInTheRecordsPlaceIsReplacedAndNeverOpened() throws Exception {
    Path file = directory.resolve("record");
    pipe(file);
    pipe(directory.resolve("record.part"));
    LineRecord record = new LineRecord(Map.of("reason", "stopped"));

    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> record.write(file));

    assertThat(LineRecord.read(file)).contains(record);
  }

  @Test
  void whatALinkInTheRecordsPlaceLeadsToIsLeftAlone() throws IOException {
    Path other = Files.writeString(directory.resolve("other"), "of somebody else");
    Path file = Files.createSymbolicLink(directory.resolve("record"), other);
    Files.createSymbolicLink(directory.resolve("record.part"), other);
    LineRecord record = new LineRecord(Map.of("reason", "stopped"));

    record.write(file);

    assertThat(other).hasContent("of somebody else");
    assertThat(LineRecord.read(file)).contains(record);
  }

  private static void pipe(Path file) throws Exception {
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
  }

  @Test
  void aNumberThatIsNoneIsAbsent() {
    LineRecord record = new LineRecord(Map.of("pid", "12", "start", "soon"));
    assertThat(record.number("pid")).contains(12L);
    assertThat(record.number("start")).isEmpty();
    assertThat(record.number("boot")).isEmpty();
  }
}
