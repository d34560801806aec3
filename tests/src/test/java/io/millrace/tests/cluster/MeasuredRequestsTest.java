package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.job.ResourceAdjustment;
import io.millrace.api.workflow.WorkflowResources.TemplateResources;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Role;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Steps that need three times the memory that they ask for succeed after their requests were
 * adjusted, and run without any adjustment with what was measured (J-12, J-13).
 */
class MeasuredRequestsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  // A writer holds a block of that size until the reader, which never reads, has gone.
  private static final String FILE =
      """
      kind: workflow
      name: measured
      templates:
        hold:
          job:
            command:
              - sh
              - -c
              - mkfifo p; sleep 3 < p & dd if=/dev/zero of=p bs=60M count=1; wait
            memory: 20MB
            retry: {max: 9, backoff: 0s, on: [memory]}
          each: {part: 1-2}
      """;

  @TempDir Path folder;

  @Test
  void aTemplateThatNeedsMoreThanItAsksForSucceedsAndItsMeasuredRequestsNeedNoAdjustment()
      throws IOException {
    Path file = Files.writeString(folder.resolve("workflow.yaml"), FILE);
    WorkflowClient workflows = CLUSTER.central(Role.OPERATOR).workflows();

    long first = submit(file);

    TemplateResources hold = workflows.resources(first, "hold").templates().get(0);
    assertThat(hold.adjusted().steps()).isEqualTo(2);
    assertThat(hold.adjusted().memory().bytes()).isBetween(60L << 20, 200L << 20);
    assertThat(hold.measured().memoryMax().bytes()).isBetween(58L << 20, 200L << 20);
    assertThat(requests(first, 0))
        .startsWith("20MB", "30MB", "45MB")
        .hasSizeGreaterThanOrEqualTo(4);
    Path measured =
        Files.writeString(
            folder.resolve("measured.yaml"),
            run("workflow", "resources", String.valueOf(first), "--as-yaml"));

    long second = submit(file, "--run-key", "measured", "--resources", measured.toString());

    assertThat(second).isNotEqualTo(first);
    TemplateResources after = workflows.resources(second, null).templates().get(0);
    assertThat(after.measured().steps()).isEqualTo(2);
    assertThat(after.asked().memory()).isEqualTo(hold.next().memory());
    assertThat(after.adjusted().steps()).isZero();
  }

  /** The memory that the step's job requested, one after the other. */
  private static List<String> requests(long workflow, int step) {
    CentralClient central = CLUSTER.central(Role.OPERATOR);
    Long array = central.workflows().show(workflow).templates().get(0).array();
    long job =
        central.jobs("search=array:" + array).jobs().stream()
            .filter(one -> one.index() == step)
            .findFirst()
            .orElseThrow()
            .id();
    return central.job(job).adjustments().stream()
        .map(ResourceAdjustment::memory)
        .map(String::valueOf)
        .toList();
  }

  private long submit(Path file, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("workflow", "submit", "-f", file.toString(), "--wait", "--json"));
    arguments.addAll(List.of(more));
    String answer = run(arguments.toArray(String[]::new));
    assertThat(answer).contains("SUCCEEDED");
    return Json.read(answer, WorkflowView.class).id();
  }

  private static String run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    Map<String, String> environment =
        Map.of(
            "HOME",
            "/nowhere",
            "MILLRACE_URL",
            CLUSTER.address().toString(),
            "MILLRACE_TOKEN_FILE",
            CLUSTER.tokenFile(Role.OPERATOR).toString());
    int code =
        Main.run(
            new Invocation(terminal, environment, new UrlTransport(), new SystemClock()),
            arguments);
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    return out.toString(StandardCharsets.UTF_8);
  }
}
