package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceTest {
  @TempDir private Path directory;

  private Trace read(String... lines) throws IOException {
    Path file = directory.resolve("trace.csv");
    Files.write(file, java.util.List.of(lines));
    return Trace.read(file);
  }

  @Test
  void valuesAreSpreadOverTheTimeUntilTheNextLineAndTheLastLastsAsLongAsTheOneBefore()
      throws IOException {
    Trace trace = read("timestamp,value", "2015-02-26 21:42:53,104", "2015-02-26 21:47:53,100");

    assertThat(trace.seconds()).isEqualTo(600);
    assertThat(trace.events()).isEqualTo(204);
    assertThat(trace.until(150)).isEqualTo(52);
    assertThat(trace.until(300)).isEqualTo(104);
    assertThat(trace.until(450)).isEqualTo(154);
    assertThat(trace.until(9000)).isEqualTo(204);
  }

  @Test
  void aFileOfOneTimestampPerEventIsCountedBySecond() throws IOException {
    Trace trace = read("1000.2", "1000.7", "1003.1");

    assertThat(trace.seconds()).isEqualTo(4);
    assertThat(trace.until(1)).isEqualTo(2);
    assertThat(trace.until(3)).isEqualTo(2);
    assertThat(trace.until(4)).isEqualTo(3);
  }

  @Test
  void timesCanBeInIsoFormOrSeconds() throws IOException {
    assertThat(read("2026-01-01T00:00:00Z,5", "2026-01-01T00:01:00Z,6").seconds()).isEqualTo(120);
    assertThat(read("0,5", "60,6").seconds()).isEqualTo(120);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5,1;4,1 | line 2: its timestamp is earlier",
        "5,1;yesterday,1 | line 2: 'yesterday' is not a time",
        "5,1;6,many | line 2: 'many' is not a number",
        "5,1;6,-3 | line 2: the number of events must be finite",
        "5,1;6 | line 2: use 'timestamp,value'",
        "timestamp,value | has no line of the form"
      })
  void anInvalidLineIsReportedWithTheSolution(String lines, String message) {
    assertThatThrownBy(() -> read(lines.split(";", -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trace.csv")
        .hasMessageContaining(message);
  }
}
