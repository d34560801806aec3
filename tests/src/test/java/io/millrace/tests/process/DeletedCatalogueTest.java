package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.manager.backup.CopiedTables;
import io.millrace.manager.job.JobTotalDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.tests.house.SourceTree;
import io.millrace.tests.process.Distribution.Ended;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code millrace delete} of the whole catalogue, with events in every state and runs in progress:
 * nothing of it is left but its history.
 */
@Tag("drill")
class DeletedCatalogueTest {
  private static final Path JOBS = SourceTree.root().resolve("jobs");
  private static final Duration LONG = Duration.ofMinutes(3);

  /** Its events are made by the test, in every state. */
  private static final String PULLED =
      """
      kind: queue
      name: pulled
      maxAttempts: 1
      """;

  /** Its run is still in progress when it is deleted. */
  private static final String ENDLESS =
      """
      kind: task
      name: endless
      schedule: {every: 1d}
      job: {command: [sleep, "3600"]}
      """;

  /**
   * Tables that keep what happened, until their retention ends; any other must forget a deleted
   * definition.
   */
  private static final Set<String> HISTORY =
      Set.of(
          "attempt",
          "balancing_decision",
          "balancing_move",
          "decision",
          "definition",
          "definition_deletion",
          "fair_share",
          "job",
          "job_event",
          "job_run",
          "job_shape",
          "job_tag",
          "job_total",
          "lane",
          "minute_sample",
          "pacing_override",
          "problem",
          "queue_sample",
          "subject_notice",
          "task_run",
          "usage_change",
          "usage_day",
          "usage_profile",
          "weight_history");

  @TempDir Path folder;
  private Path data;
  private Distribution distribution;
  private ServerProcess up;
  private List<String> target;
  private CentralClient central;
  private Path tokens;

  @BeforeEach
  void begin() throws IOException {
    Distribution.assumeBuilt();
    distribution = new Distribution(folder);
    data = folder.resolve("data");
    up =
        distribution.start(
            "up", "up", "--data", data.toString(), "--port", "0", "--slots", "6", "--json");
    JsonNode said = Json.read(up.firstLine(), JsonNode.class);
    String url = said.get("url").asText();
    String tokenFile = said.get("tokenFile").asText();
    target = List.of("--server", url, "--token-file", tokenFile);
    tokens = Path.of(tokenFile).getParent();
    central = new CentralClient(api(URI.create(url)));
  }

  @AfterEach
  void end() throws Exception {
    up.end();
  }

  @Test
  void deletingEverythingLeavesNothingButItsHistory() throws Exception {
    Path pulled = Files.writeString(folder.resolve("pulled.yaml"), PULLED);
    Path endless = Files.writeString(folder.resolve("endless.yaml"), ENDLESS);
    for (Path files : List.of(JOBS.resolve("catalogue"), JOBS.resolve("tour"), pulled, endless)) {
      succeeds("apply", "-f", files.toString());
    }
    Set<String> queues = names("queue");
    Set<String> tasks = names("task");
    assertThat(queues).hasSize(16);
    assertThat(tasks).hasSize(11);

    fill();
    succeeds("task", "run", "Easymembersearchindexer");
    succeeds("task", "run", "endless");
    await("runs are in progress")
        .atMost(LONG)
        .until(() -> running(tasks) >= 2 && running(Set.of("endless")) == 1);

    assertThat(millrace("delete", "queue", "pulled", "--yes").err())
        .contains("2 waiting events", "1 event that a worker has", "1 dead letter");
    for (String queue : queues) {
      String mode = queue.equals("greetings") ? "--drain" : "--discard";
      succeeds("delete", "queue", queue, mode, "--yes");
    }
    for (String task : tasks) {
      succeeds("delete", "task", task, "--stop", "--yes");
    }

    gone();
    assertThat(central.definitionHistory("queue", "SmsQueueServer")).hasSize(1);
    assertThat(succeeds("task", "history", "endless").out()).contains("stopped");
    assertThat(succeeds("task", "history", "Easymembersearchindexer").out()).contains("manual");
    assertThat(central.jobs("kind=manager&limit=500").jobs()).isNotEmpty();

    applyAgain();
    gone();

    up.stop();
    Set<String> all = new TreeSet<>(queues);
    all.addAll(tasks);
    addUpTotals();
    assertThat(tablesWith(all)).isSubsetOf(HISTORY);
    for (String node : List.of("q1", "q2")) {
      assertThat(stored(node)).as("segments in the store of " + node).isEmpty();
      Path kept = data.resolve(node).resolve("topology.json");
      assertThat(Json.read(Files.readAllBytes(kept), Topology.class))
          .satisfies(
              topology -> {
                assertThat(topology.queues()).isEmpty();
                assertThat(topology.weights()).isEmpty();
                assertThat(topology.controls()).isEmpty();
              });
    }
  }

  /** Events of every queue, of {@code pulled} in every state; two queues are paused. */
  private void fill() throws Exception {
    succeeds("queue", "pause", "SmsQueueServer", "--consuming");
    succeeds("queue", "pause", "stream", "--sending");
    try (Stream<Path> files = Files.list(JOBS.resolve("catalogue/queues"))) {
      for (Path queue : files.sorted().toList()) {
        String sample = queue.getFileName().toString().replace(".yaml", ".ndjson");
        Path events = JOBS.resolve("catalogue/samples").resolve(sample);
        send(nameIn(queue), "--lines", events.toString(), "--batch", "samples");
      }
    }
    send("greetings", "--data", "{}");
    for (int number = 0; number < 3; number++) {
      send("pulled", "--data", "{}");
    }
    send("pulled", "--data", "{}", "--delay", "1h");
    lease();
    Taken dead = lease();
    dead.node()
        .refuse(
            "pulled",
            new Refusal(List.of(dead.event().receipt()), RefusalKind.FAILED, null, "a test"));
    await("events in every state")
        .atMost(LONG)
        .untilAsserted(
            () -> {
              QueueView view = central.queue("pulled").queue();
              assertThat(List.of(view.waiting(), view.delayed(), view.leased(), view.dead()))
                  .containsOnly(1L);
              assertThat(central.queue("SmsQueueServer").queue().waiting()).isPositive();
            });
  }

  /** An event of {@code pulled} that a worker has. */
  private record Taken(QueueClient node, DeliveredEvent event) {}

  private Taken lease() {
    LeaseRequest request = new LeaseRequest(1, Duration.ofMinutes(30), null, "test");
    for (QueueNodeView node : central.overview().queueNodes()) {
      QueueClient client = new QueueClient(api(node.address()));
      List<DeliveredEvent> events = client.lease("pulled", request).events();
      if (!events.isEmpty()) {
        return new Taken(client, events.get(0));
      }
    }
    throw new AssertionError("no event is ready");
  }

  private void send(String queue, String... event) throws Exception {
    List<String> command = new ArrayList<>(List.of("queue", "send", queue));
    command.addAll(List.of(event));
    // A queue accepts events as soon as its segments exist.
    await("queue " + queue + " accepts events")
        .atMost(LONG)
        .until(() -> millrace(command.toArray(String[]::new)).exitCode() == 0);
  }

  private void gone() {
    await("nothing is left")
        .atMost(LONG)
        .untilAsserted(
            () -> {
              assertThat(names("queue")).isEmpty();
              assertThat(names("task")).isEmpty();
              for (QueueNodeView node : central.overview().queueNodes()) {
                assertThat(new QueueClient(api(node.address())).figures())
                    .extracting(SegmentFigures::queue)
                    .isEmpty();
              }
              assertThat(central.problems()).isEmpty();
              for (String state : List.of("waiting", "blocked", "held", "placed", "running")) {
                assertThat(central.jobs("state=" + state + "&limit=500").jobs()).isEmpty();
              }
            });
  }

  /**
   * A queue that is created again begins empty, without the pause of the earlier one, and works.
   */
  private void applyAgain() throws Exception {
    Path sms = JOBS.resolve("catalogue/queues/sms-queue-server.yaml");
    assertThat(succeeds("apply", "-f", sms.toString()).out()).contains("version 2");
    QueueView empty = central.queue("SmsQueueServer").queue();
    assertThat(empty.waiting() + empty.leased() + empty.dead()).isZero();
    assertThat(empty.control()).isNull();
    Path samples = JOBS.resolve("catalogue/samples/sms-queue-server.ndjson");
    // Under the name of a batch of the earlier queue.
    send("SmsQueueServer", "--lines", samples.toString(), "--batch", "samples");
    int sent = Files.readAllLines(samples).size();
    await("the samples are processed")
        .atMost(LONG)
        .until(() -> central.queue("SmsQueueServer").queue().acknowledged() >= sent);
    succeeds("delete", "queue", "SmsQueueServer", "--discard", "--yes");
  }

  private Set<String> names(String kind) {
    return central.definitions().stream()
        .filter(one -> one.kind().equals(kind))
        .map(one -> one.name())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private long running(Set<String> tasks) {
    return tasks.stream()
        .flatMap(task -> central.tasks().runs(task, null, 5).stream())
        .filter(run -> !run.state().ended())
        .count();
  }

  /** Queues in the store of a node, opened again. */
  private Set<String> stored(String node) {
    SegmentStore store =
        LogSegmentStore.open(data.resolve(node).resolve("store"), new SystemClock());
    try {
      return store.totals().keySet();
    } finally {
      store.close();
    }
  }

  /** Tables with a column that has one of these names, alone or as a definition of jobs. */
  /** As the duty of the central manager does sooner or later; it was stopped at any moment. */
  private void addUpTotals() {
    DatabaseSettings central = DatabaseSettings.file(data.resolve("central"), "central");
    try (Database database = Database.open(central, CopiedTables.MODULES)) {
      database.transaction(handle -> new JobTotalDao().fold(handle, 10_000));
    }
  }

  private Set<String> tablesWith(Set<String> names) throws SQLException {
    String url = "jdbc:h2:file:" + data.resolve("central/central") + ";IFEXISTS=TRUE";
    String values =
        names.stream()
            .flatMap(
                name ->
                    Stream.of("'%s'", "'queue:%s'", "'manager:%s'", "'task:%s'", "'task:%s/'")
                        .map(form -> form.formatted(name)))
            .collect(Collectors.joining(", "));
    Set<String> found = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection(url, "sa", "");
        Statement statement = connection.createStatement();
        ResultSet columns = connection.getMetaData().getColumns(null, "PUBLIC", null, null)) {
      while (columns.next()) {
        String table = columns.getString("TABLE_NAME");
        if (!columns.getString("TYPE_NAME").equals("CHARACTER VARYING") || found.contains(table)) {
          continue;
        }
        String sql =
            "select count(*) from \"%s\" where \"%s\" in (%s)"
                .formatted(table, columns.getString("COLUMN_NAME"), values);
        try (ResultSet count = statement.executeQuery(sql)) {
          count.next();
          if (count.getLong(1) > 0) {
            found.add(table);
          }
        }
      }
    }
    return found.stream()
        .map(table -> table.toLowerCase(Locale.ROOT))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private ApiClient api(URI server) {
    String token = TokenFiles.read(TokenFiles.of(tokens, Role.ADMIN));
    return new ApiClient(new JdkTransport(), new Endpoints(List.of(server)), () -> token);
  }

  private Ended succeeds(String... arguments) throws Exception {
    Ended ended = millrace(arguments);
    assertThat(ended.exitCode()).as(String.join(" ", arguments) + ": " + ended.err()).isZero();
    return ended;
  }

  private Ended millrace(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(target);
    return distribution.run(all.toArray(String[]::new));
  }

  private static String nameIn(Path queue) throws IOException {
    return Files.readAllLines(queue).stream()
        .filter(line -> line.startsWith("name: "))
        .findFirst()
        .orElseThrow()
        .substring("name: ".length());
  }
}
