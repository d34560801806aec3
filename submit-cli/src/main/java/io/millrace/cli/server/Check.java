package io.millrace.cli.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs the demo's check command. */
final class Check {
  private final Path script;

  Check(Path demoFolder) {
    this.script = demoFolder.resolve("check.sh");
  }

  /** Compares what the workers wrote with what was acknowledged; blocks until it is done. */
  CheckResult run(Path results, Path acknowledged) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    "sh",
                    script.toString(),
                    results.toString(),
                    "--acknowledged",
                    acknowledged.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return CheckResult.parse(output);
  }
}
