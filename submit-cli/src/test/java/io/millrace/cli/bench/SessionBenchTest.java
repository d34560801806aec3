package io.millrace.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.UrlTransport;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole benchmarks of sessions, small ones, on real roles and processes. */
class SessionBenchTest {
  @TempDir private Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void aRunMeasuresSessionsBesideAQueueAndLosesNothing() {
    JsonNode result =
        bench("--events 700 --runs 1 --producers 2 --workers 2 --batch 20 --duplicates 0.1");
    List<String> fields = new ArrayList<>();
    result.fieldNames().forEachRemaining(fields::add);
    assertThat(fields)
        .endsWith(
            "events",
            "sessions",
            "eventsPerSecond",
            "queueEventsPerSecond",
            "lost",
            "orderViolations",
            "duplicatesSent",
            "duplicatesReported");
    assertThat(result.get("events").asInt()).isEqualTo(700);
    assertThat(result.get("sessions").asInt()).isEqualTo(50);
    assertThat(result.get("eventsPerSecond").asLong()).isPositive();
    assertThat(result.get("queueEventsPerSecond").asLong()).isPositive();
    correct(result);
    assertThat(result.get("duplicatesSent").asLong()).isBetween(60L, 80L);
  }

  @Test
  void theCostOfASessionIsMeasuredWhileOthersAreOpen() {
    JsonNode result = bench("--open 1200 --probes 500 --producers 2 --workers 2");
    assertThat(result.get("open").asInt()).isEqualTo(1_200);
    assertThat(result.get("costs")).hasSize(2);
    assertThat(result.get("costs").get(0).get("microsPerSession").asDouble()).isPositive();
    assertThat(result.get("nodeAlive").asBoolean()).as("%s", err).isTrue();
    assertThat(result.get("liveHeapMegabytes").asLong()).as("%s", result).isPositive();
    assertThat(result.get("wrong").asLong()).isZero();
  }

  @Test
  void producersThatObeyRefusalsNeverExceedTheCap() {
    JsonNode result =
        bench("--overload --cap 30 --events 1400 --producers 2 --workers 2 --batch 20");
    assertThat(result.get("mostUnassigned").asLong()).isBetween(1L, 30L);
    assertThat(result.get("refusals").asLong()).isPositive();
    assertThat(result.get("refusedForEver").asLong()).isZero();
    assertThat(result.get("events").asLong()).isEqualTo(1_400);
    assertThat(result.get("unfinished").asLong()).isZero();
    assertThat(result.get("lost").asLong()).isZero();
    assertThat(result.get("orderViolations").asLong()).isZero();
  }

  @Test
  void aFileIsReplayedInTheOrderOfItsEventsWhileWorkersAndTheNodeAreKilled() throws IOException {
    Path file = folder.resolve("events.ndjson");
    Files.write(
        file,
        IntStream.range(0, 1_000)
            .map(number -> 999 - number)
            .mapToObj(
                number ->
                    "{\"order\":\"o%d\",\"id\":\"e%d\",\"after\":[\"e%d\"]}"
                        .formatted(number % 50, number, number - 50))
            .toList());
    JsonNode result =
        bench(
            "--from "
                + file
                + " --key /order --id /id --previous /after --kill-every 1s"
                + " --rate 300 --producers 2 --workers 2 --batch 20 --duplicates 0.05");
    Files.delete(file);
    assertThat(result.get("events").asInt()).isEqualTo(1_000);
    assertThat(result.get("sessions").asInt()).isEqualTo(50);
    assertThat(result.get("workersKilled").asInt()).isPositive();
    assertThat(result.get("nodesKilled").asInt()).isPositive();
    assertThat(result.get("unfinished").asLong()).isZero();
    correct(result);
  }

  private static void correct(JsonNode result) {
    assertThat(result.get("lost").asLong()).isZero();
    assertThat(result.get("orderViolations").asLong()).isZero();
    assertThat(result.get("duplicatesSent").asLong()).isPositive();
    assertThat(result.get("duplicatesReported")).isEqualTo(result.get("duplicatesSent"));
  }

  private JsonNode bench(String options) {
    List<String> arguments = new ArrayList<>(List.of("bench", "session", "--json"));
    Path stores = folder.resolve("stores");
    arguments.addAll(List.of("--folder", stores.toString()));
    arguments.addAll(List.of(options.split(" ", -1)));
    int code = Main.run(invocation(), arguments.toArray(String[]::new));
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(leftovers(stores)).isEmpty();
    return Json.read(out.toString(StandardCharsets.UTF_8), JsonNode.class);
  }

  private static List<Path> leftovers(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private Invocation invocation() {
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    return new Invocation(terminal, Map.of(), new UrlTransport(), new SystemClock());
  }
}
