package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.tests.house.SourceTree;
import io.millrace.tests.process.Distribution.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The catalogue of examples on a new machine: tried, applied, processed, changed and rolled back.
 */
@Tag("drill")
class CatalogueRunsTest {
  private static final Path CATALOGUE = SourceTree.root().resolve("jobs/catalogue");
  private static final Duration LONG = Duration.ofMinutes(3);

  @TempDir Path folder;
  private Distribution distribution;
  private ServerProcess up;
  private List<String> target;

  @BeforeEach
  void begin() throws IOException {
    Distribution.assumeBuilt();
    distribution = new Distribution(folder);
    String data = folder.resolve("data").toString();
    up = distribution.start("up", "up", "--data", data, "--port", "0", "--slots", "6", "--json");
    JsonNode said = Json.read(up.firstLine(), JsonNode.class);
    target =
        List.of(
            "--server", said.get("url").asText(), "--token-file", said.get("tokenFile").asText());
  }

  @AfterEach
  void end() throws Exception {
    up.end();
  }

  @Test
  void aTrialRunsAWorkerOnAChosenNodeAndPrintsItsOutputAndTheOutcomeOfItsEvents() throws Exception {
    Ended tried =
        millrace("queue", "try", "-f", queue("sms"), "--events", samples("sms"), "--node", "e2");
    assertThat(tried.exitCode()).as(tried.err()).isZero();
    assertThat(tried.out()).isEqualTo("sent to +31612345678\nsent to +31687654321\n");
    assertThat(tried.err()).contains(" on e2", "the 2 events would be acknowledged");

    Ended refused = millrace("queue", "try", "-f", queue("sms"), "--event", "{\"to\":\"me\"}");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .contains(
            "no telephone number",
            "exited with code 1",
            "after 5 failures it becomes a dead letter");

    Ended task = millrace("task", "try", "-f", task("easymembersearchindexer"), "--chunk", "q");
    assertThat(task.exitCode()).as(task.err()).isZero();
    assertThat(task.out()).isEqualTo("members of 'q' indexed\n");
    assertThat(Json.read(millrace("queue", "list", "--json").out(), JsonNode.class))
        .as("queues created by a trial")
        .isEmpty();
  }

  @Test
  void everyQueueProcessesItsSamplesAndAChangeCanBeRolledBack() throws Exception {
    Ended applied = millrace("apply", "-f", CATALOGUE.resolve("queues").toString());
    assertThat(applied.exitCode()).as(applied.err()).isZero();
    int sent = 0;
    for (Path queue : queues()) {
      String file = queue.getFileName().toString().replace(".yaml", ".ndjson");
      Path events = CATALOGUE.resolve("samples").resolve(file);
      sent += Files.readAllLines(events).size();
      send(nameIn(queue), events);
    }
    int all = sent;
    await("every sample is acknowledged").atMost(LONG).until(() -> acknowledged() >= all);

    Path changed = folder.resolve("sms.yaml");
    Files.writeString(
        changed, Files.readString(Path.of(queue("sms"))).replace("batch: 20", "batch: 30"));
    millrace("apply", "-f", changed.toString());
    Ended back = millrace("definition", "rollback", "queue", "SmsQueueServer");
    assertThat(back.out()).contains("changed (version 3)", "- batch: 30", "+ batch: 20");
    assertThat(millrace("definition", "history", "queue", "SmsQueueServer").out())
        .contains("version 3", "same as version 1");
  }

  private void send(String queue, Path events) {
    // A queue accepts events as soon as its segments exist.
    await("queue " + queue + " accepts events")
        .atMost(LONG)
        .until(
            () ->
                millrace("queue", "send", queue, "--lines", events.toString(), "--batch", "samples")
                        .exitCode()
                    == 0);
  }

  private long acknowledged() throws Exception {
    long sum = 0;
    for (JsonNode queue : Json.read(millrace("queue", "list", "--json").out(), JsonNode.class)) {
      sum += queue.get("acknowledged").asLong();
    }
    return sum;
  }

  private Ended millrace(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(target);
    return distribution.run(all.toArray(String[]::new));
  }

  private static List<Path> queues() throws IOException {
    try (Stream<Path> files = Files.list(CATALOGUE.resolve("queues"))) {
      return files.sorted().toList();
    }
  }

  private static String nameIn(Path queue) throws IOException {
    return Files.readAllLines(queue).stream()
        .filter(line -> line.startsWith("name: "))
        .findFirst()
        .orElseThrow()
        .substring("name: ".length());
  }

  private static String queue(String name) {
    return CATALOGUE.resolve("queues/" + name + "-queue-server.yaml").toString();
  }

  private static String samples(String name) {
    return CATALOGUE.resolve("samples/" + name + "-queue-server.ndjson").toString();
  }

  private static String task(String name) {
    return CATALOGUE.resolve("tasks/" + name + ".yaml").toString();
  }
}
