package io.millrace.queuenode.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskStallsTest {
  @TempDir Path folder;

  @Test
  void theTotalOfSomeTaskStallingIsRead() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("io"),
            """
            some avg10=1.53 avg60=0.44 avg300=0.39 total=155238224
            full avg10=0.00 avg60=0.44 avg300=0.38 total=35662437
            """);
    assertThat(new DiskStalls(file).get()).isEqualTo(OptionalLong.of(155_238_224_000L));
  }

  @Test
  void aSystemWithoutTheFigureGivesNoSignal() throws IOException {
    assertThat(new DiskStalls(folder.resolve("missing")).get()).isEmpty();
    Path strange = Files.writeString(folder.resolve("io"), "nothing of use\n");
    assertThat(new DiskStalls(strange).get()).isEmpty();
  }
}
