package io.millrace.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacingCommandTest {
  @TempDir private Path directory;

  private final CommandRun run = new CommandRun(new FakeCluster());

  private String trace() throws Exception {
    Path file = directory.resolve("hours.csv");
    Files.write(file, List.of("timestamp,value", "0,300", "600,3000", "1200,900", "1800,60"));
    return file.toString();
  }

  @Test
  void aPublishedTableIsPrintedNextToTheSimulatedRuleDemandAndTheFloor() {
    assertThat(run.run("simulate", "pacing", "--table", "4.2")).isZero();

    assertThat(run.output())
        .contains("PUBLISHED-RUNS", "THRESHOLD-RUNS", "DEMAND-RUNS", "FLOOR")
        .containsPattern("4\\.2 +50 +16.?319 +230.?269");
    assertThat(run.output().lines()).hasSize(8);
  }

  @Test
  void theRowsOfATableAsJsonHaveExactlyThePublishedNames() {
    assertThat(run.run("simulate", "pacing", "--table", "4.2", "--json")).isZero();

    JsonNode rows = Json.read(run.output(), JsonNode.class);
    assertThat(rows).hasSize(7);
    assertThat(rows.get(0).fieldNames())
        .toIterable()
        .containsExactlyInAnyOrder(
            "table",
            "upperLimit",
            "publishedRuns",
            "publishedWaiting",
            "thresholdRuns",
            "thresholdWaiting",
            "demandRuns",
            "demandWaiting",
            "floorRuns");
    assertThat(rows.get(0).get("floorRuns").asLong()).isEqualTo(6000);
  }

  @Test
  void theCurvesOfATableHaveALineForEachPublishedLimitAndForDemand() throws Exception {
    Path svg = directory.resolve("table.svg");

    assertThat(run.run("simulate", "pacing", "--table", "4.2", "--svg", svg.toString())).isZero();

    String drawn = Files.readString(svg);
    assertThat(drawn).contains("table 4.2", "demand, ", "waiting events");
    assertThat(drawn.split("threshold, ", -1)).as("one legend for each limit").hasSize(1 + 7);
    assertThat(drawn.split("<polyline", -1)).as("lines in four panels").hasSize(1 + 4 * 8);
    assertThat(drawn.split("stroke=\"#6a1b9a\"", -1)).as("no colour twice").hasSize(1 + 4);
  }

  @Test
  void aTraceIsRunUnderAllPoliciesAndItsCurvesAreDrawn() throws Exception {
    Path svg = directory.resolve("curves.svg");
    Path csv = directory.resolve("runs.csv");
    int code =
        run.run(
            "simulate",
            "pacing",
            "--trace",
            trace(),
            "--scale",
            "2",
            "--model",
            "linger",
            "--arrivals",
            "poisson",
            "--seed",
            "3",
            "--svg",
            svg.toString(),
            "--csv",
            csv.toString());

    assertThat(code).isZero();
    assertThat(run.output()).contains("demand", "threshold", "keda-accurate", "hours ×2");
    assertThat(Files.readString(svg))
        .startsWith("<svg")
        .contains("events arriving", "workers submitted", "waiting events", "delay");
    assertThat(Files.readAllLines(csv)).hasSize(4);
  }

  @Test
  void aSweepComparesFrontsAndReportsDominance() throws Exception {
    Path page = directory.resolve("fronts.html");
    int code =
        run.run(
            "simulate",
            "pacing",
            "--trace",
            trace(),
            "--scale",
            "1,10",
            "--sweep",
            "--settings",
            "5",
            "--html",
            page.toString());

    assertThat(code).isZero();
    assertThat(run.output()).containsPattern("demand dominates in \\d of 2 cells");
    assertThat(Files.readString(page)).startsWith("<!DOCTYPE html>").contains("<svg", "hours ×10");
  }

  @Test
  void aBuiltinScenarioRunsWithTheKnobThatIsGiven() {
    assertThat(run.run("simulate", "pacing", "--scenario", "crash", "--policy", "fixed=0.5"))
        .isZero();

    assertThat(run.output()).containsPattern("crash +fixed +workersPerSecond 0.5");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        " | use one of --table 4.3, --trace FILE",
        "--table 4.9 | no table 4.9: use 4.2, 4.3, 4.4 or all",
        "--table 4.3 --rate 5 | use one of --table 4.3, --trace FILE",
        "--table 4.3 --sweep | --table has its own settings: do not use --sweep",
        "--table all --svg x.svg | --svg draws one table",
        "--trace nowhere.csv | there is no file nowhere.csv",
        "--scenario flood | no scenario 'flood': use sine, crash",
        "--rate 5 --policy best | no policy 'best' to simulate: use demand",
        "--rate 5 --policy demand=soon | the parameter must be a number",
        "--rate 5 --policy demand=-1 | patience must be longer than zero",
        "--rate 5 --model stay | --model: use exit or linger, not 'stay'",
        "--rate 5 --arrivals random | --arrivals: use even or poisson",
        "--rate 5 --batch 0 | batch must be at least 1",
        "--rate 5 --scale 0 | --scale: use a number above 0",
        "--rate -5 | --rate: use a number above 0",
        "--rate 5 --tick 100ms | --tick must not be shorter than --step",
        "--rate 5 --scale 1,2 --svg x.svg | --svg draws one scenario"
      })
  void badInputIsRefusedWithTheSolution(String options, String message) {
    String line = "simulate pacing" + (options == null ? "" : " " + options);

    assertThat(run.run(line.split(" ", -1))).isEqualTo(2);
    assertThat(run.messages()).contains(message);
  }
}
