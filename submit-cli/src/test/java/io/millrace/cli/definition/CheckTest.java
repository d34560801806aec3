package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckTest {
  private final FakeCluster cluster = new FakeCluster().goDown();
  private final CommandRun run = new CommandRun(cluster);
  @TempDir private Path folder;

  @Test
  void aQueueIsDescribedWithoutAServer() throws IOException {
    assertThat(
            check(
                """
                kind: queue
                name: alert
                batch: 20
                maxAttempts: 3
                pacing: {waitTarget: 7s, maxWorkers: 9}
                worker: {command: [send, "a b"], timeout: 90s}
                """))
        .isZero();

    assertThat(run.output())
        .contains("queue alert\n")
        .contains("d.yaml, document 1 (line 1)")
        .contains("send 'a b', input stdin, timeout 1m30s, pool default")
        .contains(
            "up to 20 per worker; an event that fails 3 times on its own becomes a dead letter")
        .contains("demand: events wait at most 7s, up to 9 workers, a decision every 5s");
    assertThat(run.messages()).contains("1 valid, no problems");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aQueueOfSessionsIsDescribedWithItsLimitsAndEnds() throws IOException {
    assertThat(
            check(
                """
                kind: queue
                name: orders
                maxAttempts: 2
                sessions: {key: /order, maxPerWorker: 500, idle: 7d, duplicates: drop, onDead: skip}
                worker: {command: [pack]}
                """))
        .isZero();

    assertThat(run.output())
        .contains("pack, input session")
        .contains("by /order, up to 500 per worker, up to 100,000 without a worker, order strict")
        .contains(
            "when a worker completes it, or after 7d without events; a worker is retired after 3m of"
                + " silence")
        .contains("events of a completed key are counted and dropped, for 1d")
        .contains("an event that fails 2 times is skipped")
        .contains("by the number of sessions, up to")
        .doesNotContain("dead letter", "timeout", "events wait at most");
  }

  @Test
  void whatADefinitionAsksOfNodesIsDescribed() throws IOException {
    String demands =
        "slots: 2, cpu: 1.5, memory: 1536MB, resources: {gpu: 1}, licences: {solver: 2}";
    String place = "requires: memory >= 8GB, rank: cpus, runAs: batch";
    assertThat(
            check(
                """
                {kind: queue, name: q, worker: {command: [a], %1$s, %2$s}}
                ---
                {kind: task, name: t, job: {command: [a], %1$s, %2$s}}
                ---
                {kind: job, name: j, command: [a], %1$s, %2$s}
                """
                    .formatted(demands, place)))
        .isZero();

    for (String part : run.output().split("(?=queue q|task t|job j)")) {
      assertThat(part)
          .containsPattern("slots +2\n")
          .containsPattern("needs +1.5 cpus, 1.5GB memory, gpu=1, licence solver=2\n")
          .containsPattern("requires +memory >= 8GB\n")
          .containsPattern("rank +cpus\n")
          .containsPattern("runs as +batch\n");
    }
  }

  @Test
  void aTaskIsDescribedWithItsScheduleAndItsNextFiveTimes() throws IOException {
    assertThat(
            check(
                """
                kind: task
                name: nightly
                schedule: {cron: 30 2 * * *, zone: Europe/Amsterdam}
                window: {from: 02:00, to: 06:00, atEnd: stop}
                job: {command: [report]}
                chunks: {range: 1-500}
                instances: 8
                """))
        .isZero();

    assertThat(run.output())
        .contains("chunks 1-500, 8 at a time")
        .contains("02:00 to 06:00; work still running then is stopped")
        // The clocks are moved on 2026-03-29, when 02:30 does not exist.
        .containsSubsequence(
            "2026-03-02T01:30:00Z",
            "2026-03-03T01:30:00Z",
            "2026-03-04T01:30:00Z",
            "2026-03-05T01:30:00Z",
            "2026-03-06T01:30:00Z")
        .doesNotContain("2026-03-07");
    assertThat(run.output()).containsPattern("schedule +\\S+");
  }

  @Test
  void everyProblemOfAllFilesIsReportedWithFileFieldAndLineAndTheExitCodeIsOne()
      throws IOException {
    Files.writeString(folder.resolve("a.yaml"), "kind: queue\nname: a\nbatch: many\n");
    Files.writeString(
        folder.resolve("b.yaml"),
        "kind: task\nname: b\njob: {command: [x]}\nschedule:\n  cron: 61 * * * *\n");

    assertThat(run.run("check", folder.toString())).isEqualTo(1);

    assertThat(run.messages())
        .contains("a.yaml, document 1, batch (line 3): expected a whole number, found \"many\"")
        .containsPattern("b\\.yaml, document 1, schedule\\.cron \\(line 5\\): ")
        .contains("0 valid; problems: 2");
    assertThat(run.output()).isEmpty();
  }

  @Test
  void asJsonDefinitionsAndProblemsAreLists() throws IOException {
    Files.writeString(
        folder.resolve("a.yaml"), "{kind: queue, name: a}\n---\n{kind: queue, name: b, batch: -1}");

    assertThat(run.run("check", folder.toString(), "--json")).isEqualTo(1);

    JsonNode findings = Json.read(run.output(), JsonNode.class);
    assertThat(findings.at("/definitions/0/name").asText()).isEqualTo("a");
    assertThat(findings.at("/problems")).hasSize(1);
  }

  @Test
  void nothingToCheckIsAUsageError() {
    assertThat(run.run("check")).isEqualTo(2);
    assertThat(run.run("check", "not-there.yaml")).isEqualTo(2);
    assertThat(run.messages()).contains("not-there.yaml");
  }

  private int check(String text) throws IOException {
    return run.run("check", Files.writeString(folder.resolve("d.yaml"), text).toString());
  }
}
