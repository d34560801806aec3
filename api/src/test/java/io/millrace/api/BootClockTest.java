package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootClockTest {
  @TempDir Path folder;

  @Test
  void theTimeSinceTheMachineWasStartedIsReadAtEachCall() throws IOException {
    Path uptime = Files.writeString(folder.resolve("uptime"), "1160.71 2002.07\n");
    BootClock clock = BootClock.of(uptime, () -> 5);
    assertThat(clock.getAsLong()).isEqualTo(1_160_710_000_000L);
    Files.writeString(uptime, "4760.72 2002.07\n");
    assertThat(clock.getAsLong()).as("after an hour of suspension").isEqualTo(4_760_720_000_000L);
  }

  @Test
  void withoutItTheOtherClockIsUsed() throws IOException {
    assertThat(BootClock.of(folder.resolve("none"), () -> 5).getAsLong()).isEqualTo(5);
    Path other = Files.writeString(folder.resolve("other"), "unknown\n");
    assertThat(BootClock.of(other, () -> 6).getAsLong()).isEqualTo(6);
  }
}
