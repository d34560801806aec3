package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineRecordTest {

  @TempDir private Path directory;

  @Test
  void writtenRecordsAreReadBack() throws IOException {
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
  void aNumberThatIsNoneIsAbsent() {
    LineRecord record = new LineRecord(Map.of("pid", "12", "start", "soon"));
    assertThat(record.number("pid")).contains(12L);
    assertThat(record.number("start")).isEmpty();
    assertThat(record.number("boot")).isEmpty();
  }
}
