package io.millrace.cli.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the demo's check command. */
final class DemoCheck {
  private final Path script;

  DemoCheck(Path demoFolder) {
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

  /**
   * What the check of the workers' results found, by event id.
   *
   * @param expected events that must be there
   * @param processed events that are there
   * @param lost expected and not there
   * @param duplicates further times that an event is there
   * @param unexpected ids that the day does not have
   * @param miscounted hits that do not fit the events
   */
  record CheckResult(
      long expected, long processed, long lost, long duplicates, long unexpected, long miscounted) {
    private static final Pattern LINE =
        Pattern.compile(
            "expected (\\d+)\\s+processed (\\d+)\\s+lost (\\d+)\\s+duplicates (\\d+)\\s+"
                + "unexpected (\\d+)\\s+miscounted (\\d+)");

    static CheckResult parse(String output) throws IOException {
      Matcher line = LINE.matcher(output);
      if (!line.find()) {
        throw new IOException("the check did not tell its result: " + output.strip());
      }
      return new CheckResult(
          figure(line, 1),
          figure(line, 2),
          figure(line, 3),
          figure(line, 4),
          figure(line, 5),
          figure(line, 6));
    }

    private static long figure(Matcher line, int group) {
      return Long.parseLong(line.group(group));
    }

    /** Nothing lost, invented or miscounted; duplicates are allowed. */
    boolean good() {
      return lost == 0 && unexpected == 0 && miscounted == 0;
    }
  }
}
