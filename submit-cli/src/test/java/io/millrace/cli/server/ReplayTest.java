package io.millrace.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.server.Demo.DemoCheck;
import io.millrace.cli.server.Demo.DemoCheck.CheckResult;
import io.millrace.cli.server.Demo.DemoDefinitions;
import io.millrace.cli.server.DemoDay.DemoQueue;
import io.millrace.cli.server.Replay.DemoClock;
import io.millrace.cli.server.Replay.EventCursor;
import io.millrace.cli.server.Replay.Journal;
import io.millrace.cli.server.Replay.QueueReplay;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayTest {
  private static final Path DEMO = Path.of("../jobs/demo").toAbsolutePath().normalize();

  @TempDir Path work;
  private final Map<String, List<String>> stored = new HashMap<>();
  private final List<String> batchNames = new ArrayList<>();
  private final FakeCluster cluster = new FakeCluster();
  private final QueueClient balancer =
      new QueueClient(
          new ApiClient(
              cluster, new Endpoints(List.of(URI.create("http://127.0.0.1:1"))), () -> null));
  private DemoDay day;

  @BeforeEach
  void storeWhatIsSent() throws IOException {
    day = DemoDay.read(DEMO.resolve("rates-2015-03-09.csv"));
    cluster.when("POST /v1/queues/", this::store);
  }

  @Test
  void theDayHasAllItsEvents() {
    assertThat(day.events()).isEqualTo(90_094);
    assertThat(day.slots()).isEqualTo(288);
    assertThat(day.queues()).extracting(DemoQueue::name).contains("alert", "sms").hasSize(5);
  }

  @Test
  void everyEventIsDueWithinItsOwnMinuteAndInOrder() {
    EventCursor cursor = new EventCursor(day, day.queues().get(0));
    double last = -1;
    while (!cursor.atEnd()) {
      double due = cursor.dueSeconds();
      JsonNode event = Json.read(cursor.line(), JsonNode.class);
      long minute = (long) due / 60;
      assertThat(event.at("/data/minute").asText())
          .endsWith(String.format("T%02d:%02d", minute / 60, minute % 60));
      assertThat(due).isGreaterThanOrEqualTo(last);
      last = due;
      cursor.advance();
    }
    assertThat(cursor.number() - 1).isEqualTo(day.queues().get(0).events());
  }

  @Test
  void theSentEventsAreExactlyThoseThatTheCheckExpects() throws Exception {
    try (Journal journal = Journal.open(work.resolve("acknowledged.txt"))) {
      for (DemoQueue queue : day.queues()) {
        replay(queue, journal).run(atTheEnd());
      }
      assertThat(journal.total()).isEqualTo(day.events());
      Path results = writeResults();
      CheckResult check = new DemoCheck(DEMO).run(results, journal.path());
      assertThat(check).isEqualTo(new CheckResult(90_094, 90_094, 0, 0, 0, 0));
    }
  }

  @Test
  void anUnansweredBatchIsSentAgainUnderTheSameName() throws Exception {
    List<Boolean> failures = new ArrayList<>(List.of(true, true, false));
    cluster.when(
        "POST /v1/queues/sms/events",
        call -> {
          batchNames.add(call.headers().get(EventMedia.BATCH_HEADER));
          return !failures.isEmpty() && failures.remove(0)
              ? FakeCluster.answer(
                  503,
                  Problem.MEDIA_TYPE,
                  Json.writeBytes(Problem.of(ErrorCode.NO_SEGMENT, "no node")))
              : store(call);
        });
    DemoQueue sms = queue("sms");
    try (Journal journal = Journal.open(work.resolve("acknowledged.txt"))) {
      replay(sms, journal).run(atTheEnd());
      assertThat(journal.of("sms")).isEqualTo(sms.events());
    }
    assertThat(batchNames.subList(0, 3)).containsOnly("demo-sms-000001-1000");
    assertThat(stored.get("sms")).doesNotHaveDuplicates().hasSize((int) sms.events());
  }

  @Test
  void aRestartContinuesAfterTheLastAcknowledgedEvent() throws Exception {
    Path file = work.resolve("acknowledged.txt");
    DemoQueue sms = queue("sms");
    try (Journal journal = Journal.open(file)) {
      journal.append("sms", List.of(sms.id(1), sms.id(2), sms.id(3)));
    }
    // Killed in the middle of writing the fourth.
    Files.writeString(file, Files.readString(file) + "sms-0000");
    try (Journal journal = Journal.open(file)) {
      assertThat(journal.of("sms")).isEqualTo(3);
      replay(sms, journal).run(atTheEnd());
    }
    assertThat(stored.get("sms").get(0)).contains("\"sms-000004\"");
    assertThat(Files.readAllLines(file)).hasSize((int) sms.events()).doesNotHaveDuplicates();
  }

  @Test
  void theDefinitionsContainTheDirectoriesOfThisMachine() throws IOException {
    String text = DemoDefinitions.of(DEMO, work.resolve("results")).files().get(0).text();
    assertThat(text).contains(DEMO + "/count-hits.sh").contains(work + "/results");
    assertThat(text.lines().filter(line -> !line.startsWith("#"))).noneMatch(l -> l.contains("@"));
  }

  private QueueReplay replay(DemoQueue queue, Journal journal) {
    return new QueueReplay(queue, new EventCursor(day, queue), balancer, journal);
  }

  private DemoClock atTheEnd() {
    ManualClock clock = new ManualClock(Instant.EPOCH);
    DemoClock demo = new DemoClock(clock, 1, 0, day.seconds());
    clock.advance(Duration.ofDays(1));
    return demo;
  }

  private DemoQueue queue(String name) {
    return day.queues().stream().filter(queue -> queue.name().equals(name)).findFirst().get();
  }

  private HttpAnswer store(HttpCall call) {
    String queue = call.uri().getPath().split("/", -1)[3];
    List<String> lines = new String(call.body(), StandardCharsets.UTF_8).lines().toList();
    stored.computeIfAbsent(queue, name -> new ArrayList<>()).addAll(lines);
    SendAnswer answer = new SendAnswer(queue, "b", lines.size(), false, "q1");
    return FakeCluster.answer(200, "application/json", Json.writeBytes(answer));
  }

  private Path writeResults() throws IOException {
    Path results = work.resolve("results");
    for (Map.Entry<String, List<String>> queue : stored.entrySet()) {
      StringBuilder tsv = new StringBuilder();
      for (String line : queue.getValue()) {
        JsonNode event = Json.read(line, JsonNode.class);
        tsv.append("hit\t").append(event.at("/data/symbol").asText()).append('\t');
        tsv.append(event.at("/data/minute").asText()).append("\t1\n");
        tsv.append("id\t").append(event.get("id").asText()).append('\n');
      }
      Files.createDirectories(results.resolve(queue.getKey()));
      Files.writeString(results.resolve(queue.getKey()).resolve("1.1.tsv"), tsv);
    }
    return results;
  }
}
