package io.millrace.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapacityCommandTest {
  @TempDir private Path directory;

  private final CommandRun run = new CommandRun(new FakeCluster());

  @Test
  void theArrangementsAreComparedInEveryForm() throws Exception {
    Path svg = directory.resolve("day.svg");
    Path csv = directory.resolve("day.csv");
    Path html = directory.resolve("day.html");
    int code =
        run.run(
            "simulate",
            "capacity",
            "--seeds",
            "1",
            "--svg",
            svg.toString(),
            "--csv",
            csv.toString(),
            "--html",
            html.toString());

    assertThat(code).isZero();
    assertThat(run.output())
        .contains("HELD-H", "P99-S", "BURST-ENOUGH-S", "MOVES")
        .containsPattern("(?m)^fixed .*")
        .containsPattern("(?m)^containers .*")
        .containsPattern("(?m)^demand, exit .*")
        .containsPattern("(?m)^demand, linger .*");
    assertThat(Files.readAllLines(csv)).hasSize(5);
    assertThat(Files.readString(svg))
        .startsWith("<svg")
        .contains("containers", "demand, linger", "consumers or workers held");
    assertThat(Files.readString(html)).contains("<svg", "containers");
  }

  @Test
  void theFiguresAsJson() {
    assertThat(run.run("simulate", "capacity", "--seeds", "1", "--burst", "1", "--json")).isZero();

    JsonNode answer = Json.read(run.output(), JsonNode.class);
    assertThat(answer.get("results")).hasSize(4);
    assertThat(answer.get("results").get(1).get("arrangement").asText()).isEqualTo("containers");
    assertThat(answer.get("day").get("burst").asDouble()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--seeds 0 | --seeds: use at least 1",
        "--nodes 2 | a day needs at least 3 nodes",
        "--burst 0.5 | a burst of 1",
        "--reserve 0 | --reserve: use a number above 0",
        "--reserve 9 | does not fit on the nodes",
        "--container 0 | a container needs at least one consumer"
      })
  void badInputIsRefusedWithTheSolution(String options, String message) {
    assertThat(run.run(("simulate capacity " + options).split(" ", -1))).isEqualTo(2);
    assertThat(run.messages()).contains(message);
  }
}
