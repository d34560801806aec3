package io.millrace.cli.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.Json;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView.JobPage;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the options of submit make of a job. */
class SubmitOptionsTest {
  private static final String FILE =
      """
      command: [./report.sh, --all]
      name: report
      priority: 3
      memory: 2GB
      tags: [nightly]
      env: {A: "1", B: "2"}
      resources: {gpu: 1}
      retry: {max: 2, backoff: 5s, on: [exit, node-lost]}
      after:
        - job: 12
          end: ANY
      notify: {webhook: "https://host/hook"}
      """;

  @TempDir private Path folder;
  private final FakeCluster cluster =
      new FakeCluster().answering("POST /v1/jobs", Samples.job(17, "n", JobState.WAITING, null));
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void orderOptionsReachTheServer() {
    JobSpec spec =
        submitted(
            "--array 1-1000%50 --after-ok 3,4 --after-any 5 --hold --not-before +10m"
                + " --deadline 2026-03-02T13:00:00+01:00 --lane import --failover 1h");
    assertThat(spec.array()).isEqualTo(new ArrayRange(1, 1000, 1, 50));
    assertThat(spec.after())
        .containsExactly(
            new Dependency(3, Dependency.End.OK),
            new Dependency(4, Dependency.End.OK),
            new Dependency(5, Dependency.End.ANY));
    assertThat(spec.hold()).isTrue();
    assertThat(spec.notBefore()).isEqualTo(CommandRun.NOW.plusSeconds(600));
    assertThat(spec.deadline()).isEqualTo("2026-03-02T12:00:00Z");
    assertThat(spec.lane()).isEqualTo("import");
    assertThat(spec.failover()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void dependencyOnAnElementIsItsJob() {
    cluster.answering(
        "GET /v1/jobs?search=array%3A17",
        new JobPage(List.of(Samples.element(23, 17, 3, JobState.RUNNING, null)), null));
    assertThat(submitted("--after-fail 17[3]").after())
        .containsExactly(new Dependency(23, Dependency.End.FAIL));
  }

  @Test
  void placeOptionsReachTheServer() {
    JobSpec spec =
        submitted(
            "--cpu 0.5 --memory 512MB --resource gpu=1 --resource tape=2 --licence solver=1"
                + " --requires os=='linux' --rank cpus --share nightly --prefer-node q1"
                + " --pool fast --slots 2 --priority -5");
    assertThat(spec.cpu()).isEqualTo(0.5);
    assertThat(spec.memory()).isEqualTo(DataSize.parse("512MB"));
    assertThat(spec.resources()).isEqualTo(Map.of("gpu", 1, "tape", 2));
    assertThat(spec.licences()).isEqualTo(Map.of("solver", 1));
    assertThat(spec.requires()).isEqualTo("os=='linux'");
    assertThat(spec.rank()).isEqualTo("cpus");
    assertThat(spec.share()).isEqualTo("nightly");
    assertThat(spec.preferredNode()).isEqualTo("q1");
    assertThat(spec.pool()).isEqualTo("fast");
    assertThat(spec.slots()).isEqualTo(2);
    assertThat(spec.priority()).isEqualTo(-5);
  }

  @Test
  void retryOptionsReachTheServer() {
    JobSpec spec =
        submitted(
            "--retries 4 --backoff 2s --max-backoff 1m --retry-on exit,node-lost"
                + " --retry-exit-codes 3,4 --final-exit-codes 5");
    assertThat(spec.retry().max()).isEqualTo(4);
    assertThat(spec.retry().backoff()).isEqualTo(Duration.ofSeconds(2));
    assertThat(spec.retry().maxBackoff()).isEqualTo(Duration.ofMinutes(1));
    assertThat(spec.retry().on())
        .containsExactlyInAnyOrder(FailureKind.EXIT, FailureKind.NODE_LOST);
    assertThat(spec.retry().exitCodes()).containsExactlyInAnyOrder(3, 4);
    assertThat(spec.retry().finalExitCodes()).containsExactly(5);
  }

  @Test
  void theScaleOfRetriesAndItsPoolsReachTheServer() {
    JobSpec spec = submitted("--retries 4 --memory 1GB --retry-scale 1.5 --fallback large,huge");
    assertThat(spec.retry().scale()).isEqualTo(ResourceScale.by(1.5));
    assertThat(spec.retry().fallback()).containsExactly("large", "huge");
    assertThat(refusal("--retry-scale 1.5")).contains("--retry-scale: requires --retries N");
    assertThat(refusal("--retries 1 --retry-scale 0.5")).contains("--retry-scale: use 1 to 100");
    assertThat(refusal("--retries 1 --fallback large"))
        .contains("--fallback: requires --retry-scale");
  }

  private String refusal(String options) {
    CommandRun refused = new CommandRun(cluster);
    List<String> line = new ArrayList<>(List.of("submit"));
    line.addAll(List.of(options.split(" ")));
    line.addAll(List.of("--", "true"));
    assertThat(refused.run(line.toArray(String[]::new))).isEqualTo(2);
    return refused.messages();
  }

  @Test
  void processAndNotifyOptionsReachTheServer() {
    cluster.answering("POST /v1/jobs", Samples.job(17, "n", JobState.WAITING, null));
    run.run(
        "submit",
        "--single",
        "one",
        "--restart",
        "--run-as",
        "ann",
        "--env-file",
        "/etc/env",
        "--secret",
        "KEY=key",
        "--tag",
        "a",
        "--tag",
        "b",
        "--grace",
        "1m",
        "--notify-webhook",
        "https://host/hook",
        "--notify-command",
        "/opt/page 'the operators'",
        "--notify-on",
        "failed,late",
        "--notify-late-after",
        "5m",
        "--",
        "true");
    JobSpec spec = sent();
    assertThat(spec.single()).isEqualTo("one");
    assertThat(spec.restart()).isTrue();
    assertThat(spec.runAs()).isEqualTo("ann");
    assertThat(spec.envFile()).isEqualTo("/etc/env");
    assertThat(spec.secrets()).isEqualTo(Map.of("KEY", "key"));
    assertThat(spec.tags()).containsExactly("a", "b");
    assertThat(spec.grace()).isEqualTo(Duration.ofMinutes(1));
    assertThat(spec.notification())
        .isEqualTo(
            new Notification(
                Set.of(Notification.Occasion.FAILED, Notification.Occasion.LATE),
                List.of("/opt/page", "the operators"),
                "https://host/hook",
                Duration.ofMinutes(5)));
  }

  @Test
  void keyIsSentAsAHeader() {
    submitted("--key order-4711");
    assertThat(cluster.last().headers()).containsEntry("Idempotency-Key", "order-4711");
  }

  @Test
  void optionsExtendOrOverrideTheFile() throws IOException {
    Path file = Files.writeString(folder.resolve("job.yaml"), FILE);
    run.run(
        "submit",
        "-f",
        file.toString(),
        "--priority",
        "9",
        "--tag",
        "urgent",
        "--env",
        "B=3",
        "--retries",
        "7",
        "--after-ok",
        "13");
    JobSpec spec = sent();
    assertThat(spec.command()).containsExactly("./report.sh", "--all");
    assertThat(spec.name()).isEqualTo("report");
    assertThat(spec.priority()).isEqualTo(9);
    assertThat(spec.memory()).isEqualTo(DataSize.parse("2GB"));
    assertThat(spec.tags()).containsExactly("nightly", "urgent");
    assertThat(spec.env()).isEqualTo(Map.of("A", "1", "B", "3"));
    assertThat(spec.resources()).isEqualTo(Map.of("gpu", 1));
    assertThat(spec.retry().max()).isEqualTo(7);
    assertThat(spec.retry().backoff()).isEqualTo(Duration.ofSeconds(5));
    assertThat(spec.retry().on())
        .containsExactlyInAnyOrder(FailureKind.EXIT, FailureKind.NODE_LOST);
    assertThat(spec.after())
        .containsExactly(
            new Dependency(12, Dependency.End.ANY), new Dependency(13, Dependency.End.OK));
    assertThat(spec.notification().webhook()).isEqualTo("https://host/hook");
  }

  @Test
  void commandReplacesThatOfTheFile() throws IOException {
    Path file = Files.writeString(folder.resolve("job.yaml"), "program: no-op\npriority: 3\n");
    run.run("submit", "-f", file.toString(), "--", "ls", "-l");
    assertThat(sent().command()).containsExactly("ls", "-l");
    assertThat(sent().program()).isNull();
    assertThat(sent().priority()).isEqualTo(3);
  }

  @Test
  void aFileThatCanBeAppliedCanBeSubmittedToo() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("load.yaml"), "kind: job\nname: load\ncommand: [load.sh]\n");

    assertThat(run.run("submit", "-f", file.toString())).isZero();

    assertThat(sent().name()).isEqualTo("load");
    assertThat(sent().command()).containsExactly("load.sh");
  }

  @Test
  void occasionsInAFileAreWrittenAsInDefinitions() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("job.yaml"),
            "command: [ls]\nnotify: {command: [mail], on: [failed, late]}\n");
    assertThat(run.run("submit", "-f", file.toString())).isZero();
    assertThat(sent().notification().on()).containsExactly(Occasion.FAILED, Occasion.LATE);
  }

  @Test
  void aZeroInAFileIsRefusedWhereItWouldBecomeTheDefault() throws IOException {
    Path file = Files.writeString(folder.resolve("job.yaml"), "command: [ls]\nslots: 0\n");
    assertThat(run.run("submit", "-f", file.toString())).isEqualTo(2);
    assertThat(run.messages())
        .contains("slots (line 2): 0 is not allowed; leave it out for the default, 1");
  }

  @Test
  void aSpecificationShownByTheServerCanBeSubmitted() throws IOException {
    JobSpec shown = submitted("--array 1-9 --memory 1GB --retries 2 --not-before +1h --tag a");
    Path file = Files.writeString(folder.resolve("job.json"), Json.write(shown));
    run.run("submit", "-f", file.toString());
    assertThat(sent()).isEqualTo(shown);
  }

  @Test
  void allProblemsOfAFileAreReportedWithTheirLines() throws IOException {
    Path file =
        Files.writeString(folder.resolve("job.yaml"), "command: ls\nslot: 2\nmemory: lots\n");
    assertThat(run.run("submit", "-f", file.toString())).isNotZero();
    assertThat(run.messages())
        .contains(
            file + ", command (line 1): expected a list such as [a, b], found \"ls\"",
            file + ", slot (line 2): unknown key; did you mean 'slots'?",
            file + ", memory (line 3): 'lots' is not a size");
  }

  @Test
  void fileCanBeStandardInput() {
    run.reading("{\"command\": [\"ls\"]}").run("submit", "-f", "-");
    assertThat(sent().command()).containsExactly("ls");
  }

  private JobSpec submitted(String options) {
    assertThat(run.run(("submit " + options + " -- true").split(" ", -1)))
        .as(run.messages())
        .isZero();
    return sent();
  }

  private JobSpec sent() {
    return Json.read(cluster.last().body(), JobSpec.class);
  }
}
