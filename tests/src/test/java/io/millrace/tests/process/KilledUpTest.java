package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.RetryPolicy;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 of {@code up} in the middle of its work, and its restart. */
@Tag("drill")
class KilledUpTest {
  private static final Duration LONG = Duration.ofMinutes(3);

  @TempDir Path folder;
  private Journal journal;
  private ServerProcess up;
  private CentralClient central;
  private QueueClient producer;

  @BeforeEach
  void begin() throws IOException {
    Distribution.assumeBuilt();
    journal = new Journal(folder.resolve("journal"));
    life();
  }

  @AfterEach
  void endRemaining() throws Exception {
    if (up != null) {
      up.end();
      journal.killRemaining();
    }
  }

  /** Starts {@code up} on the data directory and waits until it reports that it is ready. */
  private void life() throws IOException {
    Path data = folder.resolve("data");
    up =
        new Distribution(folder)
            .start("up", "up", "--data", data.toString(), "--port", "0", "--slots", "6", "--json");
    JsonNode said = Json.read(up.firstLine(), JsonNode.class);
    Path tokens = Path.of(said.get("tokenFile").asText()).getParent();
    central = new CentralClient(api(said.get("url").asText(), tokens, Role.ADMIN));
    producer = new QueueClient(api(said.get("loadBalancer").asText(), tokens, Role.PRODUCER));
  }

  private static ApiClient api(String url, Path tokens, Role role) {
    String token = TokenFiles.read(TokenFiles.of(tokens, role));
    return new ApiClient(new JdkTransport(), new Endpoints(List.of(URI.create(url))), () -> token);
  }

  @Test
  void everyAcknowledgedEventIsProcessedEveryJobEndsAndNoRunsOverlap() throws Exception {
    defineQueue();
    Set<String> sent = new HashSet<>(send("first", 20));
    await("workers are running").atMost(LONG).until(() -> journal.events().size() >= 20);
    List<Long> jobs = new ArrayList<>();
    Path longJob = journal.script("long", "sleep 8");
    for (int number = 0; number < 3; number++) {
      jobs.add(submit(longJob, RetryPolicy.NONE));
    }
    // Waits for its second attempt at the time of the kill.
    Duration pause = Duration.ofSeconds(8);
    jobs.add(
        submit(
            journal.script("again", "test -e $1/tried || { touch $1/tried; exit 1; }"),
            RetryPolicy.upTo(1, pause, pause)));
    await("the jobs are running")
        .atMost(LONG)
        .until(
            () ->
                state(jobs.get(3)) == JobState.WAITING
                    && Files.exists(journal.folder().resolve("tried"))
                    && jobs.subList(0, 3).stream().allMatch(id -> state(id) == JobState.RUNNING));
    Path shortJob = journal.script("short", "sleep 0.2");
    for (int number = 0; number < 5; number++) {
      jobs.add(submit(shortJob, RetryPolicy.NONE));
    }
    sent.addAll(send("last", 4));
    int before = journal.events().size();
    up.kill();
    assertThat(before).as("events processed before the kill").isLessThan(sent.size());
    List<Journal.Start> firstLife = journal.starts();

    life();
    sent.addAll(send("second", 4));
    await("every event is processed and every job has succeeded")
        .atMost(LONG)
        .untilAsserted(
            () -> {
              assertThat(workedOn()).containsAll(sent);
              assertThat(jobs).allMatch(id -> state(id) == JobState.SUCCEEDED);
            });
    await("every event is acknowledged")
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(central.queue("steady").queue().acknowledged())
                    .isGreaterThanOrEqualTo(sent.size()));

    List<Journal.Start> starts = journal.starts();
    assertThat(starts).extracting(Journal.Start::attempt).doesNotHaveDuplicates();
    assertThat(journal.overlaps()).as("runs that overlap an earlier run of the same job").isEmpty();
    assertThat(firstLife).as("processes from before the kill").noneMatch(Journal.Start::isAlive);
    List<Integer> attempts = jobs.stream().map(id -> central.job(id).job().attempt()).toList();
    System.out.printf(
        "up killed after %d of %d events: %d deliveries, %d process starts, attempts of the jobs %s%n",
        before, sent.size(), journal.events().size(), starts.size(), attempts);

    assertThat(up.stop()).as("exit code of a clean stop").isEqualTo(143);
    assertThat(journal.starts()).as("processes left behind").noneMatch(Journal.Start::isAlive);
  }

  private void defineQueue() throws IOException {
    Path worker =
        journal.script(
            "worker",
            "cat > $1/events/.$MILLRACE_ATTEMPT; sleep 0.3;"
                + " mv $1/events/.$MILLRACE_ATTEMPT $1/events/$MILLRACE_ATTEMPT");
    String yaml =
        """
        kind: queue
        name: steady
        batch: 5
        lease: 3s
        pacing: {tick: 500ms, waitTarget: 10s, maxWorkers: 4}
        worker: {command: ["sh", "%s", "%s"]}
        """
            .formatted(worker, journal.folder());
    central.apply(new ApplyRequest(List.of(new SourceFile("steady.yaml", yaml)), false));
    await("segments")
        .atMost(LONG)
        .until(
            () ->
                central.queue("steady").segments().stream().filter(one -> one.weight() > 0).count()
                    == 2);
  }

  private Set<String> send(String name, int batches) {
    Set<String> ids = new HashSet<>();
    for (int batch = 0; batch < batches; batch++) {
      String body = IntStream.range(0, 10).mapToObj(n -> n + "\n").collect(Collectors.joining());
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      SendAnswer answer = producer.send("steady", name + batch, EventMedia.LINES, bytes);
      IntStream.range(0, answer.accepted()).forEach(n -> ids.add(answer.batch() + "-" + n));
    }
    return ids;
  }

  private long submit(Path script, RetryPolicy retry) {
    List<String> command = List.of("sh", script.toString(), journal.folder().toString());
    return central.submit(JobDraft.command(command).retry(retry).spec()).id();
  }

  private JobState state(long id) {
    JobView job = central.job(id).job();
    assertThat(job.state()).as("job %s: %s", id, job.reason()).isNotEqualTo(JobState.FAILED);
    return job.state();
  }

  private Set<String> workedOn() throws IOException {
    return journal.events().stream()
        .map(line -> Json.read(line, JsonNode.class).get("id").asText())
        .collect(Collectors.toSet());
  }
}
