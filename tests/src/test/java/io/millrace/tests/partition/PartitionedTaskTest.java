package io.millrace.tests.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.task.RunState;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks that poll resources, on two execution nodes with real commands. */
class PartitionedTaskTest {
  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int RESOURCES = 60;

  private final TaskClient tasks = CLUSTER.central().tasks();
  private Path polled;

  @BeforeEach
  void folder(TestInfo test) throws IOException {
    polled = CLUSTER.folder(test.getTestMethod().orElseThrow().getName()).resolve("polled");
  }

  @Test
  void everyResourceIsPolledExactlyOnceInARun() throws IOException {
    define("poll-all", "seq 1 %d; seq 1 %d".formatted(RESOURCES, RESOURCES), 7, "true");
    TaskRunView run = ended("poll-all");
    assertThat(run.state()).isEqualTo(RunState.SUCCEEDED);
    assertThat(polls())
        .containsOnlyKeys(IntStream.rangeClosed(1, RESOURCES).mapToObj(Integer::toString).toList())
        .allSatisfy((resource, times) -> assertThat(times).isEqualTo(1));
    assertThat(run.done()).isEqualTo(run.total()).isLessThan(RESOURCES);
  }

  @Test
  void aFailingResourceIsIsolatedRetriedAndReported() throws IOException {
    define("poll-bad", "seq 1 20", 10, "test \"$r\" != 13");
    TaskRunView run = ended("poll-bad");
    assertThat(run.state()).isEqualTo(RunState.FAILED);
    assertThat(run.failed()).isEqualTo(1);
    TaskRunDetails details = tasks.details(run.id());
    assertThat(details.failedChunks())
        .singleElement()
        .satisfies(one -> assertThat(one.chunk()).isEqualTo("13"));
    assertThat(polls()).hasSize(20);
    assertThat(polls().get("13")).as("with its batch, alone, and two retries").isEqualTo(4);
  }

  @Test
  void anEmptyDiscoverySucceeds() {
    define("poll-none", "true", 10, "true");
    assertThat(ended("poll-none").state()).isEqualTo(RunState.SUCCEEDED);
  }

  /** The command records each resource and then runs the given shell command. */
  private void define(String task, String discover, int batch, String check) {
    String yaml =
        """
        kind: task
        name: %s
        schedule: {every: 10000h}
        instances: 4
        partition:
          discover: [sh, -c, "%s"]
          batch: %d
        job:
          command: [sh, -c, 'while read r; do echo "$r" >> %s; %s || exit 1; done']
        """
            .formatted(task, discover, batch, polled, check);
    CLUSTER.central().apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));
  }

  private TaskRunView ended(String task) {
    return tasks.await(tasks.run(task).id(), LONG).run();
  }

  private Map<String, Long> polls() throws IOException {
    return Files.readAllLines(polled).stream()
        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
  }
}
