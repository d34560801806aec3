package io.millrace.tests.golden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One scenario on a small cluster, recorded as HTTP: every route of every server with examples of
 * requests, answers and refusals.
 */
class ClusterGoldenTest {
  @RegisterExtension static final Cluster CLUSTER = Cluster.alone(1, 1, 4);

  /** Routes that answer only in states that take minutes to reach, or only to a running attempt. */
  private static final List<String> ONLY_REFUSED =
      List.of(
          "manager DELETE /v1/queue-nodes/{name}",
          "manager POST /v1/execution-nodes/{name}/allow",
          "manager POST /v1/queues/{queue}/slots/{slot}/parts",
          "manager POST /v1/task-runs/{id}/conduct");

  /** Recorded in other ways, or checked as a whole by OpenApiTest. */
  private static final Set<String> NOT_RECORDED = Set.of("/metrics", "/v1/openapi.json");

  private static final Map<String, JsonNode> metrics = new TreeMap<>();
  private static final Map<String, JsonNode> documents = new TreeMap<>();
  private static RecordingClient client;
  private static CommandChapter commands;
  private static Refusals refusals;

  @BeforeAll
  static void play() {
    client = new RecordingClient(CLUSTER);
    new QueueChapter(client).play();
    new JobChapter(client).play();
    new TaskChapter(client).play();
    NodeChapter nodes = new NodeChapter(client);
    nodes.play();
    new AccountChapter(client).play();
    commands = new CommandChapter(CLUSTER);
    CommandScenario.play(client, commands, normalizer());
    new WorkflowChapter(client).play();
    new WorkflowScenario(client, commands, normalizer()).play();
    SessionChapter sessions = new SessionChapter(client);
    sessions.play();
    CommandScenario.playSessions(client, commands, normalizer());
    CommandScenario.playEnd(commands, normalizer());
    nodes.playNewNodes();
    sessions.playSlots();
    for (String server : CLUSTER.servers().keySet()) {
      documents.put(
          server, client.ask(server, Role.VIEWER, "API").unrecorded().get("/v1/openapi.json"));
      metrics.put(
          server,
          client.ask(server, Role.VIEWER, "metrics").unrecorded().get("/metrics").path("text"));
    }
    refusals = new Refusals(client).play();
  }

  @Test
  void theOutputOfEveryCommandIsAsRecorded() {
    GoldenFiles files = GoldenFiles.of(ClusterGoldenTest.class, "commands");
    commands.files(normalizer()).forEach(files::add);
    files.verify();
  }

  @Test
  void everyCommandIsRunOrListedWithAReason() {
    assertThat(commands.missing()).isEmpty();
  }

  @Test
  void everyMetricIsAsRecorded() {
    GoldenFiles files = GoldenFiles.of(ClusterGoldenTest.class, "metrics");
    metrics.forEach(
        (server, text) -> files.add(server + ".txt", new MetricFamilies(text.asText()).text()));
    files.verify();
  }

  @Test
  void everyServerMeasuresWhatTheManualDescribesAndNothingElse() {
    MetricsManual manual = MetricsManual.read();
    Map<String, String> sections =
        Map.of(
            "manager", "Central manager",
            "executor-node", "Execution node",
            "queue-node", "Queue node",
            "load-balancer", "Load balancer");
    assertThat(metrics.keySet()).isEqualTo(sections.keySet());
    metrics.forEach(
        (server, text) ->
            assertThat(
                    new MetricFamilies(text.asText())
                        .differencesFrom(manual.of(sections.get(server))))
                .as(server)
                .isEmpty());
  }

  @Test
  void everyAnswerIsAsRecorded() {
    Normalizer normalizer = normalizer();
    GoldenFiles files = GoldenFiles.of(ClusterGoldenTest.class, "http");
    client
        .chapters()
        .forEach(
            (name, exchanges) ->
                files.add(
                    name + ".txt",
                    exchanges.stream()
                        .map(one -> one.render(normalizer))
                        .collect(Collectors.joining())));
    files.verify();
  }

  @Test
  void everyExchangeIsAsTheOpenApiDocumentSays() {
    assertThat(new DescribedExchanges(documents).differences(client.exchanges())).isEmpty();
  }

  @Test
  void everyRefusalIsAsRecorded() {
    Normalizer normalizer = normalizer();
    GoldenFiles files = GoldenFiles.of(ClusterGoldenTest.class, "refusals");
    refusals.files().forEach((server, text) -> files.add(server + ".txt", normalizer.line(text)));
    files.verify();
  }

  @Test
  void everyRouteHasAnExampleThatIsAnswered() {
    assertThat(missing(one -> !one.refused())).containsExactlyElementsOf(ONLY_REFUSED);
  }

  private static Set<String> missing(Predicate<Exchange> wanted) {
    Set<String> missing = new TreeSet<>();
    CLUSTER
        .servers()
        .forEach(
            (server, web) -> {
              for (Route route : web.routes()) {
                if (!NOT_RECORDED.contains(route.path())) {
                  missing.add(server + " " + route.method() + " " + route.path());
                }
              }
            });
    List<Exchange> all = new ArrayList<>();
    client.chapters().values().forEach(all::addAll);
    all.stream().filter(wanted).forEach(one -> missing.remove(one.server() + " " + one.route()));
    return missing;
  }

  private static Normalizer normalizer() {
    return new Normalizer()
        .literal(CLUSTER.folder().toString(), "<folder>")
        .replace("io\\.millrace\\.[a-z.]+[A-Z]\\w+", "<class>")
        .replace("\\b(\\d+(\\.\\d+)?(ms|s|m|h) ?)+ ago", "<duration> ago")
        .replace("unreachable for (\\d+(\\.\\d+)?(ms|s|m|h) ?)+", "unreachable for <duration>")
        .replace("\\d+ (kept )?decisions?", "<integer> $1decisions")
        .replace("\\b(store|cpu|disk) \\d\\.\\d\\d", "$1 <decimal>")
        .replace("Expires=[^;]+", "Expires=<time>")
        // The days of reports, which end today or begin with what is kept.
        .replace("^20\\d\\d-\\d\\d-\\d\\d$", "<day>")
        .replace("MFkwEwYHKoZIzj0[\\w+/=-]+", "<public key>")
        .replace("mrj_[\\w-]{43}", "<join token>")
        .replace("(?<=millrace_session=)[\\w-]{43}", "<session>")
        .replace("(?<![\\w-])(?=[\\w-]*[a-z])[\\w-]{32}(?![\\w-])", "<login code>")
        // Depends on who runs the test.
        .replace("(?m)^  users *\\S*$", "  users  <text>")
        .replace("(?m)^  kernel  \\S+$", "  kernel  <text>")
        .replace("(?m)^  memory  \\d+$", "  memory  <text>")
        .replace("(?m)^  cpus  \\d+$", "  cpus  <text>")
        .replace("(?m)^  offered  .* of this host$", "  offered  <text>")
        .replace("(?m)^  hostname  \\S+$", "  hostname  <text>")
        .texts("users")
        .replace("p(50|99) \\d+(\\.\\d+)?m?s", "p$1 <duration>")
        .measured("load", "cpu", "store", "disk", "share", "puts", "gets", "busy")
        .measured("managerDecisions", "clockOffsetMillis", "cpus", "memoryBytes", "number")
        .measured(
            "delays",
            "variance",
            "seconds",
            "readings",
            "runMillis",
            "cpuMillis",
            "readBytes",
            "writtenBytes",
            "sinceEvaluation")
        .measured("sinceReading", "rate", "unmeasured", "surprise", "workerSeconds", "utilisation")
        .measured("memoryGibHours")
        // By when it was sampled a queue has rates or none.
        .replace("(?m)(?<=^  rates {1,20})0 stored/s, 0 done", "<amount> stored/s, <amount> done")
        // Of the workflow whose steps run.
        .replace("(?m)^(fetch .* )\\d+(\\.\\d+)?(?= +- *$)", "$1<decimal>")
        .texts("memoryMean", "memoryMax", "runMean", "runMax", "cpuMean")
        .texts(
            "arch",
            "cpus",
            "hostname",
            "kernel",
            "memory",
            "os",
            "left",
            "publicKey",
            "certificate",
            "secret")
        .sets("on", "done", "resources");
  }
}
