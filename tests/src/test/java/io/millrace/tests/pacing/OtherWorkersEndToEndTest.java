package io.millrace.tests.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.tests.cluster.Cluster;
import io.millrace.tests.cluster.Folders;
import io.millrace.tests.cluster.PullWorker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Queues whose workers do not receive a single batch: external queues, and lingering workers. */
class OtherWorkersEndToEndTest {
  private static final Duration SOON = Duration.ofMinutes(3);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  /**
   * An existing consumer without changes for Millrace: it takes five files. A file is taken by
   * renaming it, which succeeds for only one of several consumers.
   */
  private static final String CONSUMER =
      """
      taken=0
      for file in $(ls $1/waiting); do
        [ $taken -lt 5 ] || break
        mv $1/waiting/$file $1/done/$file 2>/dev/null && taken=$((taken + 1))
      done
      true\
      """;

  @Test
  void anExternalQueueIsDrainedByItsUnchangedConsumers() throws Exception {
    PacedQueue queue = new PacedQueue(CLUSTER.central(), "legacy");
    Path folder = CLUSTER.folder(queue.name());
    Path waiting = Files.createDirectories(folder.resolve("waiting"));
    Path done = Files.createDirectories(folder.resolve("done"));
    Path consumer = Files.writeString(folder.resolve("consume"), CONSUMER);
    for (int number = 0; number < 60; number++) {
      Files.createFile(waiting.resolve("event" + number));
    }
    CLUSTER
        .central()
        .apply(
            new ApplyRequest(
                List.of(
                    new SourceFile(
                        "legacy.yaml",
                        """
                        kind: queue
                        name: %s
                        batch: 5
                        source: {waiting: [sh, -c, 'ls $0 | wc -l', '%s'], every: 300ms}
                        pacing: {waitTarget: 1s}
                        worker: {command: [sh, '%s', '%s']}
                        """
                            .formatted(queue.name(), waiting, consumer, folder))),
                false));
    await("no file is waiting").atMost(SOON).until(() -> files(waiting) == 0);
    for (int number = 60; number < 80; number++) {
      Files.createFile(waiting.resolve("event" + number));
    }
    await("later files are taken too")
        .atMost(SOON)
        .untilAsserted(() -> assertThat(files(done)).isEqualTo(80));
    assertThat(queue.workers().size()).as("runs for 80 events, 5 per run").isBetween(16, 32);
    assertThat(queue.decisions())
        .extracting(one -> one.node())
        .as("one pacer")
        .containsOnly("external");
  }

  @Test
  void lingeringWorkersProcessManyBatchesEach() throws Exception {
    PacedQueue queue = new PacedQueue(CLUSTER.central(), "lingering");
    Path folder = CLUSTER.folder(queue.name());
    Path source = PullWorker.write(CLUSTER.folder("lingering-source"));
    CLUSTER.define(
        """
        kind: queue
        name: %s
        batch: 5
        pacing: {tick: 500ms, waitTarget: 1s}
        worker:
          command: ['%s', '%s', '%s']
          input: pull
          model: linger
          linger: {maxEvents: 60, maxTime: 20s, idle: 2s}
        """
            .formatted(queue.name(), PullWorker.java(), source, folder));
    Set<String> sent = new HashSet<>(Batches.send(CLUSTER.producer(), queue.name(), 24, 5));
    queue.awaitDone(sent.size());
    await("all workers have ended").atMost(SOON).until(() -> queue.outstanding() == 0);
    List<String> ids = Folders.lines(folder);
    assertThat(ids).containsExactlyInAnyOrderElementsOf(sent);
    // With one batch per run there would be 24 runs; run limits of 60 events require at least 2.
    assertThat(queue.workers().size()).isBetween(2, 12);
    assertThat(queue.workers()).extracting(job -> job.state().name()).containsOnly("SUCCEEDED");
  }

  private static int files(Path folder) {
    return folder.toFile().list().length;
  }
}
