package io.millrace.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BalanceCommandTest {
  private final CommandRun run = new CommandRun(new FakeCluster());

  @Test
  void aDayIsSimulatedWithoutAServerAndDrawn(@TempDir Path directory) throws Exception {
    Path svg = directory.resolve("day.svg");
    Path csv = directory.resolve("days.csv");
    int code =
        run.run(
            "simulate",
            "balance",
            "--config",
            "1",
            "--policy",
            "random-40",
            "--seeds",
            "1",
            "--svg",
            svg.toString(),
            "--csv",
            csv.toString());
    assertThat(code).isZero();
    assertThat(run.output())
        .contains("configuration 1: 8 nodes, 12 queues, one of up to 1800/s")
        .contains("FIRST-HIT")
        .containsPattern("random-40 +1 +\\d");
    assertThat(Files.readString(svg)).startsWith("<svg").contains("nodes IDLE");
    assertThat(Files.readAllLines(csv)).hasSize(2);
  }

  @Test
  void aChartOfSeveralDaysIsRefused(@TempDir Path directory) {
    int code = run.run("simulate", "balance", "--svg", directory.resolve("day.svg").toString());
    assertThat(code).isEqualTo(2);
    assertThat(run.messages()).contains("--svg draws one day");
  }

  @Test
  void daysOfRecordedTrafficAreSimulatedWithOneQueuePerTrace(@TempDir Path directory)
      throws Exception {
    Path quiet = trace(directory.resolve("quiet.csv"), 2, hour -> 10);
    Path busy = trace(directory.resolve("busy.csv"), 2, hour -> hour % 24 == 12 ? 90 : 40);
    int code =
        run.run(
            "simulate",
            "balance",
            "--trace=" + quiet,
            "--trace=" + busy,
            "--nodes=3",
            "--peak=1200",
            "--seeds=2",
            "--policy=measured");
    assertThat(code).as(run.messages()).isZero();
    assertThat(run.output())
        .contains("recorded traffic: 3 nodes, 2 queues, together up to 1200.0/s")
        .containsPattern("measured +0 +\\d")
        .doesNotContain("configuration");
  }

  @Test
  void moreDaysThanATraceHasAreRefused(@TempDir Path directory) throws Exception {
    Path day = trace(directory.resolve("day.csv"), 1, hour -> 10);
    assertThat(run.run("simulate", "balance", "--trace=" + day, "--seeds=2")).isEqualTo(2);
    assertThat(run.messages()).contains("trace day has 1 whole days", "a smaller --seeds");
  }

  @Test
  void optionsOfRecordedTrafficNeedATrace() {
    assertThat(run.run("simulate", "balance", "--config=1", "--peak=9")).isEqualTo(2);
    assertThat(run.messages()).contains("use --trace FILE too");
  }

  @Test
  void aTraceThatDoesNotExistIsNamed(@TempDir Path directory) {
    Path none = directory.resolve("none.csv");
    assertThat(run.run("simulate", "balance", "--trace=" + none)).isEqualTo(2);
    assertThat(run.messages()).contains("there is no file " + none);
  }

  @Test
  void twoTracesOfOneNameAreRefused(@TempDir Path directory) throws Exception {
    Path one = trace(directory.resolve("one.csv"), 1, hour -> 10);
    assertThat(run.run("simulate", "balance", "--trace=" + one, "--trace=" + one)).isEqualTo(2);
    assertThat(run.messages()).contains("two traces are named one");
  }

  private static Path trace(Path file, int days, IntUnaryOperator perHour) throws IOException {
    StringBuilder lines = new StringBuilder("timestamp,value\n");
    for (int hour = 0; hour < 24 * days; hour++) {
      lines.append(hour * 3600).append(',').append(perHour.applyAsInt(hour)).append('\n');
    }
    return Files.writeString(file, lines);
  }

  @Test
  void anUnknownConfigurationIsRefused() {
    assertThat(run.run("simulate", "balance", "--config", "5")).isEqualTo(2);
    assertThat(run.messages()).contains("use 1 to 4, or all");
  }
}
