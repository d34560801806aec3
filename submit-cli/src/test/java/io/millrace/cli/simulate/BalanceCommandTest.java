package io.millrace.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void anUnknownConfigurationIsRefused() {
    assertThat(run.run("simulate", "balance", "--config", "5")).isEqualTo(2);
    assertThat(run.messages()).contains("use 1 to 4, or all");
  }
}
