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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole benchmarks, small ones, on real roles and processes. */
class JobsBenchTest {
  @TempDir private Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @ParameterizedTest
  @ValueSource(strings = {"/bin/true", "noop"})
  void aRunMeasuresARateAndItsReferences(String program) {
    List<String> arguments = new ArrayList<>(List.of("--jobs", "20", "--runs", "1"));
    if (program.equals("noop")) {
      arguments.add("--noop");
    }
    JsonNode result = bench(arguments);
    assertThat(result.fieldNames())
        .toIterable()
        .startsWith(
            "jobs",
            "jobsPerSecond",
            "supervisedReferencePerSecond",
            "xargsReferencePerSecond",
            "backlog",
            "store",
            "managers");
    assertThat(result.get("jobs").asInt()).isEqualTo(20);
    assertThat(result.get("jobsPerSecond").asDouble()).isPositive();
    assertThat(result.get("supervisedReferencePerSecond").asDouble()).isPositive();
    assertThat(result.get("xargsReferencePerSecond").asDouble()).isPositive();
    assertThat(result.get("backlog").asInt()).isZero();
    assertThat(result.get("store").asText()).isEqualTo("h2");
    assertThat(result.get("managers").asInt()).isEqualTo(1);
    assertThat(result.get("program").asText()).isEqualTo(program);
    assertThat(result.get("runs")).hasSize(1);
  }

  @Test
  void theRateIsMeasuredWithABacklogThatStays() {
    JsonNode result = bench(List.of("--jobs", "20", "--runs", "2", "--backlog", "200"));
    assertThat(result.get("backlog").asInt()).isEqualTo(200);
    assertThat(result.get("jobsPerSecond").asDouble()).isPositive();
  }

  @Test
  void theStartDelayIsMeasuredWithAndWithoutThePlatform() {
    JsonNode result = bench(List.of("--latency", "--jobs", "5"));
    assertThat(result.get("startP50Millis").asDouble()).isPositive();
    assertThat(result.get("startP99Millis").asDouble())
        .isGreaterThanOrEqualTo(result.get("startP50Millis").asDouble());
    assertThat(result.get("supervisedP50Millis").asDouble()).isPositive();
  }

  private JsonNode bench(List<String> options) {
    List<String> arguments = new ArrayList<>(List.of("bench", "jobs", "--json"));
    arguments.addAll(List.of("--folder", folder.toString()));
    arguments.addAll(options);
    int code = Main.run(invocation(), arguments.toArray(String[]::new));
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(leftovers()).isEmpty();
    return Json.read(out.toString(StandardCharsets.UTF_8), JsonNode.class);
  }

  private List<Path> leftovers() {
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
