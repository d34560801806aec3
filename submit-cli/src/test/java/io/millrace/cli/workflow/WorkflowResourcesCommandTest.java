package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.workflow.WorkflowResources;
import io.millrace.api.workflow.WorkflowResources.AdjustedResources;
import io.millrace.api.workflow.WorkflowResources.MeasuredResources;
import io.millrace.api.workflow.WorkflowResources.RequestedResources;
import io.millrace.api.workflow.WorkflowResources.TemplateResources;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code workflow resources}, and submitting with what it prints (J-13). */
class WorkflowResourcesCommandTest {
  private static final String NIGHTLY =
      """
      kind: workflow
      name: nightly
      templates:
        fetch: {job: {command: [fetch], memory: 2GB, retry: {max: 2, scale: 1.5}}}
        'no': {job: {command: [report]}}
      """;

  @TempDir private Path folder;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  private static WorkflowResources resources() {
    return new WorkflowResources(
        17,
        "nightly",
        List.of(
            new TemplateResources(
                "fetch",
                new RequestedResources(DataSize.parse("2GB"), 1.0, Duration.ofHours(1)),
                new MeasuredResources(
                    1500,
                    1500,
                    DataSize.parse("300MB"),
                    DataSize.parse("2900MB"),
                    Duration.ofSeconds(40),
                    Duration.ofMinutes(12),
                    Duration.ofSeconds(30)),
                new AdjustedResources(3, DataSize.parse("3GB"), Duration.ofHours(1)),
                new RequestedResources(DataSize.parse("3520MB"), 1.0, Duration.ofMinutes(24)),
                28.3,
                0.4),
            new TemplateResources(
                "no",
                new RequestedResources(null, null, null),
                new MeasuredResources(0, 0, null, null, null, null, null),
                new AdjustedResources(0, null, null),
                new RequestedResources(null, null, null),
                0,
                0)));
  }

  @Test
  void whatStepsAskedForAndUsedIsShownByTemplate() {
    cluster.answering("GET /v1/workflows/17/resources", resources());

    assertThat(run.run("workflow", "resources", "17")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            TEMPLATE  STEPS  MEMORY  MEM MEAN  MEM MAX   UNUSED  TIMEOUT  RUN MEAN  RUN MAX   CPU  CPU USED  ADJUSTED  TO
            fetch     1,500     2GB     300MB    2.8GB  28.3GBh       1h     40.0s   12m00s  1.00      0.75   3 steps  3GB, 1h
            no            0       -         -        -        -        -         -        -     -         -         -
            """);
  }

  @Test
  void stepsWhoseMemoryWasNotMeasuredAreCounted() {
    TemplateResources one = resources().templates().get(0);
    MeasuredResources used =
        new MeasuredResources(
            10, 3, DataSize.parse("300MB"), DataSize.parse("1GB"), null, null, null);
    cluster.answering(
        "GET /v1/workflows/17/resources",
        new WorkflowResources(
            17,
            "nightly",
            List.of(
                new TemplateResources(
                    "fetch", one.asked(), used, one.adjusted(), one.next(), 0, 0))));

    assertThat(run.run("workflow", "resources", "17")).isZero();

    assertThat(run.messages())
        .isEqualTo(
            "fetch: memory not measured of 7 of 10 steps, which ended before the first sample\n");
  }

  @Test
  void theRequestsForNextTimeAreAFragmentOfAWorkflow() {
    cluster.answering("GET /v1/workflows/17/resources?template=fetch", resources());

    assertThat(run.run("workflow", "resources", "17", "--template", "fetch", "--as-yaml")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            # measured by workflow 17
            templates:
              'fetch': {job: {memory: 3520MB, timeout: 24m}}
            """);
  }

  @Test
  void aFragmentReplacesTheRequestsOfTheSubmittedFile() throws IOException {
    Path file = Files.writeString(folder.resolve("nightly.yaml"), NIGHTLY);
    Path measured =
        Files.writeString(
            folder.resolve("measured.yaml"),
            """
            # measured by workflow 17
            templates:
              'fetch': {job: {memory: 3520MB, timeout: 24m}}
              'no': {job: {timeout: 10s}}
            """);
    cluster.refusing("POST /v1/workflows", ErrorCode.CONFLICT, "stop here");

    run.run("workflow", "submit", "-f", file.toString(), "--resources", measured.toString());

    JsonNode sent = Json.read(cluster.last().body(), JsonNode.class);
    JsonNode templates = sent.path("workflow").path("templates");
    assertThat(templates.path("fetch").path("job").path("memory").asText()).isEqualTo("3520MB");
    assertThat(templates.path("fetch").path("job").path("timeout").asText()).isEqualTo("24m");
    assertThat(templates.path("fetch").path("job").path("retry").path("scale").asDouble())
        .isEqualTo(1.5);
    assertThat(templates.path("no").path("job").path("timeout").asText()).isEqualTo("10s");
  }

  @Test
  void aFragmentThatDoesNotBelongToTheFileIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("nightly.yaml"), NIGHTLY);

    assertThat(refusal(file, "templates: {other: {job: {memory: 1GB}}}"))
        .contains("has no template 'other'");
    assertThat(refusal(file, "templates: {fetch: {job: {command: [rm]}}}"))
        .contains("'command' is not replaced");
    assertThat(refusal(file, "templates: {fetch: {memory: 1GB}}")).contains("write only 'job'");
    assertThat(refusal(file, "kind: workflow")).contains("only the key 'templates'");
    assertThat(refusal(file, "templates: {fetch: {job: {memory: much}}}"))
        .contains("'much' is not a size");
  }

  private String refusal(Path file, String fragment) throws IOException {
    Path measured = Files.writeString(folder.resolve("measured.yaml"), fragment);
    CommandRun refused = new CommandRun(cluster);
    assertThat(
            refused.run(
                "workflow",
                "submit",
                "-f",
                file.toString(),
                "--resources",
                measured.toString(),
                "--dry-run"))
        .isEqualTo(2);
    return refused.messages();
  }
}
