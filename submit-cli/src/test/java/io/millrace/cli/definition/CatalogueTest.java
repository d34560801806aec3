package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import io.millrace.manager.job.JobRules;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The ready-made definitions are right, and what they run is there and works (H-256, H-257). */
class CatalogueTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path CATALOGUE = HOME.resolve("jobs/catalogue");
  private static final Pattern WORKER = Pattern.compile("\\$MILLRACE_HOME/(\\S+?\\.sh)");
  private static final List<String> TASKS =
      List.of(
          "AlbumIntegrityChecker",
          "Easymembersearchindexer",
          "Globalcache",
          "MemberIterator",
          "OldMessageDeleter",
          "OrderIntegrityChecker",
          "Parsemail",
          "SearchBuilder",
          "ServerManagementImporter",
          "WhatsNext");
  // Its first chunk is only known to its command, so a trial has to name one.
  private static final String CHUNKED_BY_A_COMMAND = "OrderIntegrityChecker";
  private static final List<String> QUEUES =
      List.of(
          "FeedleecherQueueServer",
          "MailNotifier",
          "MemberDeletion",
          "NewsLetterSender",
          "OrderQueueServer",
          "ProcessPrepaymentsDaemon",
          "QueueServerBlogPing",
          "QueueServerGroupMessage",
          "QueueServerOneWayFriendMessage",
          "Queueserver",
          "ResendInvitationsDaemon",
          "SignalQueueServer",
          "SmsQueueServer");

  @TempDir private Path folder;

  @Test
  void everyTaskAndQueueIsDefinedAndValid() {
    CommandRun run = new CommandRun(new FakeCluster().goDown());

    assertThat(run.run("check", CATALOGUE.toString(), "--json")).as(run.messages()).isZero();

    JsonNode definitions = Json.read(run.output(), JsonNode.class).get("definitions");
    assertThat(names(definitions, "task")).containsExactlyElementsOf(TASKS);
    assertThat(names(definitions, "queue")).containsExactlyElementsOf(QUEUES);
  }

  @Test
  void everyWorkerExistsAndIsExecutableAndNoneIsUnused() throws IOException {
    TreeSet<String> named = new TreeSet<>(List.of("jobs/catalogue/workers/shared.sh"));
    for (Path definition : files("tasks", "queues")) {
      Matcher worker = WORKER.matcher(Files.readString(definition));
      assertThat(worker.find()).as("%s names a worker", definition).isTrue();
      do {
        named.add(worker.group(1));
      } while (worker.find());
    }
    assertThat(named).allSatisfy(worker -> assertThat(HOME.resolve(worker)).isExecutable());
    assertThat(files("workers"))
        .extracting(file -> HOME.relativize(file).toString())
        .containsExactlyInAnyOrderElementsOf(named);
  }

  static List<String> definedTasks() {
    return TASKS;
  }

  @ParameterizedTest
  @MethodSource("definedTasks")
  void everyTaskCanBeTried(String name) {
    FakeCluster cluster = new FakeCluster();
    cluster
        .when(
            "POST /v1/jobs",
            call -> {
              JobRules.check(JobKind.SUBMITTED, Json.read(call.body(), JobSpec.class));
              return FakeCluster.answer(
                  200,
                  "application/json",
                  Json.writeBytes(Samples.job(17, "w", JobState.WAITING, null)));
            })
        .answering("GET /v1/jobs/17", Map.of("job", Samples.job(17, "w", JobState.RUNNING, null)))
        .answering("GET /v1/jobs/17/wait", Samples.job(17, "w", JobState.SUCCEEDED, 0))
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stdout", "worked\n")
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stderr", "");
    CommandRun run = new CommandRun(cluster);

    List<String> arguments =
        new ArrayList<>(List.of("task", "try", "-f", CATALOGUE.resolve("tasks").toString(), name));
    if (name.equals(CHUNKED_BY_A_COMMAND)) {
      arguments.addAll(List.of("--chunk", "a"));
    }

    assertThat(run.run(arguments.toArray(String[]::new))).as(run.messages()).isZero();
    assertThat(run.output()).isEqualTo("worked\n");
  }

  static Stream<String> queues() throws IOException {
    return names("queues");
  }

  static Stream<String> tasks() throws IOException {
    return names("tasks");
  }

  @ParameterizedTest
  @MethodSource("queues")
  void aQueueWorkerHandlesItsSamplesRefusesACorruptEventAndFailsWhenToldTo(String name)
      throws Exception {
    List<String> samples = Files.readAllLines(CATALOGUE.resolve("samples/" + name + ".ndjson"));

    Ran right = worker(name, "1.1", Map.of("FAIL_EVERY", "50"), events(samples));
    assertThat(right.code()).as(right.output()).isZero();
    assertThat(right.output().lines()).hasSizeGreaterThanOrEqualTo(samples.size());

    assertThat(worker(name, "1.1", Map.of(), events(List.of("{\"from\":1,\"to\":1}"))).code())
        .isEqualTo(1);
    assertThat(worker(name, "50.1", Map.of("FAIL_EVERY", "50"), events(samples)).code())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("tasks")
  void aTaskWorkerWorksOrReportsThatNothingIsLeftAndFailsWhenToldTo(String name) throws Exception {
    Map<String, String> chunk = Map.of("MILLRACE_CHUNK", "a", "FAIL_EVERY", "50");

    Ran right = worker(name, "1.1", chunk, "");
    assertThat(right.code()).as(right.output()).isZero();
    assertThat(right.output()).isNotBlank();
    assertThat(worker(name, "60.1", chunk, "").code()).isIn(0, 75);
    assertThat(worker(name, "50.1", chunk, "").code()).isEqualTo(1);
  }

  /** How a worker ended, and what it wrote. */
  private record Ran(int code, String output) {}

  private Ran worker(String name, String attempt, Map<String, String> env, String input)
      throws IOException, InterruptedException {
    File in = Files.writeString(folder.resolve("in"), input).toFile();
    File out = folder.resolve("out").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(CATALOGUE.resolve("workers/" + name + ".sh").toString())
            .redirectInput(in)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(out));
    builder.environment().put("MILLRACE_ATTEMPT", attempt);
    builder.environment().putAll(env);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("%s ends", name).isTrue();
      return new Ran(process.exitValue(), Files.readString(out.toPath()));
    } finally {
      process.destroyForcibly();
    }
  }

  private static String events(List<String> data) {
    StringBuilder lines = new StringBuilder();
    for (String one : data) {
      lines
          .append("{\"id\":\"e\",\"queue\":\"q\",\"attempt\":1,\"data\":")
          .append(one)
          .append("}\n");
    }
    return lines.toString();
  }

  private static List<String> names(JsonNode definitions, String kind) {
    List<String> names = new ArrayList<>();
    definitions.forEach(
        one -> {
          if (one.get("kind").asText().equals(kind)) {
            names.add(one.get("name").asText());
          }
        });
    return names.stream().sorted().toList();
  }

  private static Stream<String> names(String folder) throws IOException {
    return files(folder).stream().map(file -> file.getFileName().toString().replace(".yaml", ""));
  }

  private static List<Path> files(String... folders) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String folder : folders) {
      try (Stream<Path> inside = Files.list(CATALOGUE.resolve(folder))) {
        inside.sorted().forEach(files::add);
      }
    }
    return files;
  }
}
