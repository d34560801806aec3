package io.millrace.tests.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.Role;
import io.millrace.tests.house.SourceTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The graphs from real life in docs/workflows.md run as they are written there. */
class DocumentedWorkflowsTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final List<String> MODULES = List.of("core", "api", "web", "shell", "docs");

  @TempDir Path folder;

  private final WorkflowClient workflows = CLUSTER.central(Role.OPERATOR).workflows();

  @Test
  void theNightlyBuildTestsEachModuleAndPackagesEachPlatform() throws IOException {
    WorkflowView run = run("nightly-build");

    assertThat(run.progress().succeeded()).isEqualTo(24);
    assertThat(Files.readAllLines(folder.resolve("package-arm64")))
        .hasSize(MODULES.size())
        .allMatch(line -> line.startsWith("MODULE "));
    assertThat(Files.readAllLines(folder.resolve("published"))).hasSize(2 * MODULES.size());
    for (String module : MODULES) {
      for (String platform : List.of("amd64", "arm64")) {
        String element = "[%s,%s]".formatted(module, platform);
        assertOrder(run, "checkout", "compile" + element);
        assertOrder(run, "compile" + element, "test" + element);
        assertOrder(run, "test" + element, "package[" + platform + "]");
      }
    }
    assertOrder(run, "package[amd64]", "publish");
    assertOrder(run, "package[arm64]", "publish");
  }

  @Test
  void theParameterStudySumsUpEachRateAndChoosesTheBest() throws IOException {
    WorkflowView run = run("rates");

    assertThat(run.progress().succeeded()).isEqualTo(29);
    int noise = IntStream.rangeClosed(1, 8).map(seed -> seed * 7 % 11).sum();
    assertThat(folder.resolve("sum-2")).hasContent(8 * 2 * 365 + noise + " rate 2\n");
    assertThat(folder.resolve("best")).hasContent(8 * 5 * 365 + noise + " rate 5\n");
    for (int rate : List.of(1, 2, 5)) {
      String sum = "sum[" + rate + "]";
      IntStream.rangeClosed(1, 8)
          .forEach(seed -> assertOrder(run, "simulate[%d,%d]".formatted(rate, seed), sum));
      assertOrder(run, sum, "choose");
    }
  }

  @Test
  void theDiamondRetriesTheSideThatWasRefusedAndThenMerges() throws IOException {
    WorkflowView run = run("diamond");

    assertThat(run.progress().succeeded()).isEqualTo(4);
    assertThat(attempts(run, "enrich"))
        .extracting(AttemptView::exitCode)
        .as("both attempts are recorded")
        .containsExactly(75, 0);
    assertThat(attempts(run, "sort")).hasSize(1);
    List<String> order = Files.readAllLines(folder.resolve("order"));
    assertThat(order).startsWith("extract").endsWith("merge").hasSize(4);
    assertThat(order.subList(1, 3)).containsExactlyInAnyOrder("sort", "enrich");
    assertThat(Files.readAllLines(folder.resolve("merged")))
        .containsExactly("1\t3 enriched", "2\t1 enriched", "3\t2 enriched");
    Stream.of("sort", "enrich")
        .forEach(
            side -> {
              assertOrder(run, "extract", side);
              assertOrder(run, side, "merge");
            });
  }

  /** The later step began after the successful end of the earlier one. */
  private void assertOrder(WorkflowView run, String earlier, String later) {
    List<AttemptView> before = attempts(run, earlier);
    Instant end = before.get(before.size() - 1).endedAt();
    assertThat(attempts(run, later).get(0).startedAt())
        .as("start of %s after the end of %s", later, earlier)
        .isAfterOrEqualTo(end);
  }

  private List<AttemptView> attempts(WorkflowView run, String step) {
    return workflows.step(run.id(), step).attempts();
  }

  /** Runs the workflow of that name as the manual has it; only the folder is another one. */
  private WorkflowView run(String name) throws IOException {
    String manual = Files.readString(SourceTree.root().resolve("docs/workflows.md"));
    List<String> written =
        YAML.matcher(manual)
            .results()
            .map(found -> found.group(1))
            .filter(text -> text.contains("\nname: " + name + "\n"))
            .toList();
    assertThat(written).hasSize(1);
    Path file = Files.writeString(folder.resolve(name + ".yaml"), written.get(0));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
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
            "workflow",
            "submit",
            "-f",
            file.toString(),
            "--arg",
            "folder=" + folder,
            "--wait",
            "--json");
    assertThat(code).as(() -> err.toString(UTF_8) + failures(out.toString(UTF_8))).isZero();
    WorkflowView run = Json.read(out.toString(UTF_8), WorkflowView.class);
    assertThat(run.state()).isEqualTo(WorkflowState.SUCCEEDED);
    return run;
  }

  private String failures(String answer) {
    return answer.isEmpty()
        ? ""
        : String.valueOf(workflows.failures(Json.read(answer, WorkflowView.class).id()));
  }
}
