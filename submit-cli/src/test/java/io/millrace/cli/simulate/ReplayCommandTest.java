package io.millrace.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayCommandTest {
  @TempDir private Path directory;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  /** Ten minutes in which ten events come in each tick, and each tick starts a worker. */
  private static String record() {
    StringBuilder lines = new StringBuilder();
    for (int tick = 0; tick < 120; tick++) {
      lines.append(
          String.format(
              Locale.ROOT,
              "{\"at\":\"%s\",\"node\":\"q1\",\"start\":1,\"policy\":\"demand\",\"gate\":\"NONE\","
                  + "\"reason\":\"\",\"inputs\":{\"waiting\":6,\"inserted\":%d,\"acknowledged\":%d,"
                  + "\"oldestSeconds\":3,\"starting\":0,\"startLatencySeconds\":2,\"runSeconds\":1,"
                  + "\"batch\":50,\"tickSeconds\":5,\"waitTargetSeconds\":5,\"maxWorkers\":100,"
                  + "\"maxStarting\":20,\"upperLimit\":250,\"lowerLimit\":0,\"backlog\":250}}%n",
              Instant.parse("2026-03-01T11:00:00Z").plusSeconds(5L * tick),
              10 * tick,
              10 * tick));
    }
    return lines.toString();
  }

  private String history() throws Exception {
    Path file = directory.resolve("alert.ndjson");
    Files.writeString(file, record());
    return file.toString();
  }

  @Test
  void aRecordedFileIsReplayedWithItsControlAndTheChange() throws Exception {
    Path svg = directory.resolve("replay.svg");
    Path csv = directory.resolve("replay.csv");
    Path html = directory.resolve("replay.html");
    int code =
        run.run(
            "simulate",
            "pacing",
            "--history",
            history(),
            "--set",
            "waitTarget=20s",
            "--set",
            "maxWorkers=20",
            "--svg",
            svg.toString(),
            "--csv",
            csv.toString(),
            "--html",
            html.toString());

    assertThat(run.messages()).isEmpty();
    assertThat(code).isZero();
    assertThat(run.output())
        .contains("120 decisions of 1 segment(s), at most 5 s apart")
        .contains("waitTarget=5s")
        .contains("start delay 2.00 s, run time 1.00 s")
        .containsPattern("recorded +demand +1.?196 +120")
        .containsPattern("control +demand")
        .containsPattern("waitTarget=20s maxWorkers=20 +demand")
        .contains("workers; 120 were recorded", "against the control");
    assertThat(Files.readAllLines(csv)).hasSize(4);
    assertThat(Files.readString(svg)).startsWith("<svg").contains("recorded starts", "control");
    assertThat(Files.readString(html))
        .startsWith("<!DOCTYPE html>")
        .contains("<svg", "<td>control");
  }

  @Test
  void theServerIsAskedForALiveQueue() {
    cluster.writing("GET /v1/queues/alert/decisions/export", record());

    assertThat(run.run("simulate", "pacing", "--queue", "alert", "--since", "2h", "--json"))
        .isZero();

    assertThat(cluster.asked())
        .containsExactly(
            "GET /v1/queues/alert/decisions/export?from=2026-03-01T10%3A00%3A00Z"
                + "&to=2026-03-01T12%3A00%3A00Z");
    JsonNode report = Json.read(run.output(), JsonNode.class);
    assertThat(report.get("rows")).hasSize(2);
    assertThat(report.get("rows").get(0).get("runs").asInt()).isEqualTo(120);
    assertThat(report.get("basis").get("decisions").asInt()).isEqualTo(120);
    assertThat(report.has("controlRunsOff")).isTrue();
  }

  @Test
  void aRecordCanBeReadFromStandardInput() {
    run.reading(record());

    assertThat(run.run("simulate", "pacing", "--history", "-")).isZero();
    assertThat(run.output()).contains("control");
  }

  @Test
  void anUnknownQueueIsReportedByTheServer() {
    cluster.refusing(
        "GET /v1/queues/none/decisions/export", ErrorCode.UNKNOWN_QUEUE, "there is no queue none");

    assertThat(run.run("simulate", "pacing", "--queue", "none")).isNotZero();
    assertThat(run.messages()).contains("there is no queue none");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--history nowhere.ndjson | there is no file nowhere.ndjson",
        "--history - --queue alert | use either --history FILE or --queue NAME",
        "--history - --rate 5 | do not use --table, --trace, --scenario or --rate",
        "--history - --batch 20 | change a recorded setting with --set NAME=VALUE",
        "--history - --set speed=5 | one of the names policy, tick, waitTarget",
        "--rate 5 --set waitTarget=5s | --set requires --queue NAME or --history FILE",
        "--rate 5 --since 5h | --since requires --queue NAME or --history FILE"
      })
  void badInputIsRefusedWithTheSolution(String options, String message) {
    run.reading(record());

    assertThat(run.run(("simulate pacing " + options).split(" ", -1))).isEqualTo(2);
    assertThat(run.messages()).contains(message);
  }

  @Test
  void anEmptyRecordIsRefused() {
    assertThat(run.run("simulate", "pacing", "--history", "-")).isEqualTo(2);
    assertThat(run.messages()).contains("the record contains 0 decisions");
  }
}
