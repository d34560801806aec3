package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.JobSpec;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionParser;
import io.millrace.manager.definition.DefinitionParser.DefinitionReading;
import io.millrace.manager.definition.DefinitionText;
import io.millrace.manager.pacing.QueueManagerSpecs;
import io.millrace.platform.clock.SystemClock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerSpecsTest {
  /** Every key of a job that says how it runs, rather than when, what or for whom. */
  private static final String HOW_IT_RUNS =
      """
      command: [consume, --all]
      env: {REGION: eu}
      envFile: /etc/alert.env
      secrets: {PASSWORD: database}
      cwd: /srv/alert
      runAs: alice
      slots: 2
      memory: 512MB
      cpu: 1.5
      resources: {gpu: 1}
      licences: {solver: 2}
      requires: label.zone == "b"
      rank: cpus
      pool: gpu
      priority: 7
      timeout: 4m
      grace: 20s
      """;

  @Test
  void aWorkerRunsExactlyAsAJobWithTheSameKeys() {
    QueueDefinition queue = queue(HOW_IT_RUNS, "");
    TaskDefinition task = read(task(HOW_IT_RUNS)).as(TaskDefinition.class);

    JobSpec worker = WorkerSpecs.worker(new VersionedQueue(queue, 1), "q1");

    JobSpec job = task.job();
    assertThat(worker)
        .isEqualTo(
            job.draft()
                .name(worker.name())
                .input(worker.input())
                .preferredNode(worker.preferredNode())
                .spec());
    assertThat(worker.grace()).hasSeconds(20);
    assertThat(worker.memory().bytes()).isEqualTo(512L << 20);
    assertThat(worker.input().queue()).isEqualTo("alert");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "grace: 2h",
        "memory: 10KB",
        "cpu: 0",
        "resources: {gpu: 0}",
        "licences: {'9': 1}",
        "requires: cpus >",
        "rank: nothing.known",
        "envFile: etc/app.env",
        "secrets: {PASSWORD: ../root}",
        "pool: Gpu",
        "runAs: Alice!",
        "priority: 2000000"
      })
  void aWorkersKeysAreCheckedByTheRulesOfJobs(String wrong) {
    String keys = "command: [consume]\n" + wrong + "\n";

    assertThat(problems(queueFile(keys, "")))
        .isEqualTo(
            problems(task(keys)).stream().map(one -> one.replace("job.", "worker.")).toList())
        .isNotEmpty();
  }

  @Test
  void theManagerOfAnExternalQueueRunsWhereItsWorkersMayRun() {
    String keys = "command: [consume]\nrequires: label.legacy == \"yes\"\nrank: cpus\n";

    JobSpec external =
        QueueManagerSpecs.manager(
            new VersionedQueue(queue(keys, "source: {waiting: [count]}"), 1), "alert");
    JobSpec own = QueueManagerSpecs.manager(new VersionedQueue(queue(keys, ""), 1), "q1");

    assertThat(external.requires()).isEqualTo("label.legacy == \"yes\"");
    assertThat(external.rank()).isEqualTo("cpus");
    assertThat(own.requires()).isNull();
  }

  private static QueueDefinition queue(String keys, String more) {
    return read(queueFile(keys, more)).as(QueueDefinition.class);
  }

  private static String queueFile(String keys, String more) {
    return "kind: queue\nname: alert\nworker:\n" + keys.indent(2) + more + "\n";
  }

  private static String task(String keys) {
    return "kind: task\nname: alert\njob:\n" + keys.indent(2);
  }

  private static DefinitionText read(String file) {
    DefinitionReading reading = reading(file);
    assertThat(reading.problems()).isEmpty();
    return reading.definitions().get(0);
  }

  private static List<String> problems(String file) {
    return reading(file).problems();
  }

  private static DefinitionReading reading(String file) {
    return new DefinitionParser(KnownKinds.all(new SystemClock()))
        .read(List.of(new SourceFile("alert.yaml", file)));
  }
}
