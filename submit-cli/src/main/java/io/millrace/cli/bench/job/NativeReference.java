package io.millrace.cli.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.measurement.Rate;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

/** How many processes this machine starts in a second when xargs does it. */
final class NativeReference {
  private final Path folder;
  private final int atATime;
  private final Clock clock;

  NativeReference(Path folder, int atATime, Clock clock) {
    this.folder = folder;
    this.atATime = atATime;
    this.clock = clock;
  }

  double perSecond(int starts) throws IOException, InterruptedException {
    Path lines = folder.resolve("xargs-lines");
    Files.write(lines, Collections.nCopies(starts, "x"));
    return Rate.perSecond(clock, starts, () -> start(lines));
  }

  private void start(Path lines) throws IOException, InterruptedException {
    int exit =
        new ProcessBuilder(List.of("xargs", "-P" + atATime, "-n1", "/bin/true"))
            .redirectInput(lines.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    if (exit != 0) {
      throw new MillraceException(ErrorCode.INTERNAL, "xargs ended with exit code " + exit);
    }
  }
}
