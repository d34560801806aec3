package io.millrace.cli.server;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.JobDraft;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs a small cluster on loopback for a few seconds, with a queue and a job. The launcher starts
 * it in the background to record the classes that servers load, for a faster start; its output and
 * its data are discarded.
 */
public final class ArchiveTraining {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String QUEUE = "{kind: queue, name: training, worker: {command: ['true']}}";

  private ArchiveTraining() {}

  /** Exits within a minute, with an error if the training has not finished by then. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Threads.daemon("training-timeout", ArchiveTraining::haltAfterTimeout).start();
    Path folder = Files.createTempDirectory("millrace-training");
    try {
      ServerLogging.configure(folder.resolve("logs"), "training", "OFF");
      train(new UpSettings(folder.resolve("data"), 0, 1, 1, 1, false, Optional.empty()));
    } finally {
      delete(folder);
    }
  }

  private static void train(UpSettings settings) throws InterruptedException {
    JdkTransport transport = new JdkTransport();
    Clock clock = new SystemClock();
    long began = clock.nanoTime();
    EmbeddedCluster cluster = new EmbeddedCluster(settings, transport, clock);
    cluster.start();
    try {
      String token = TokenFiles.read(cluster.tokenFile(Role.ADMIN));
      CentralClient central =
          new CentralClient(
              new ApiClient(transport, new Endpoints(List.of(cluster.address())), () -> token));
      new Readiness(central, settings, clock, began, cluster::refusal).await(() -> false);
      central.apply(new ApplyRequest(List.of(new SourceFile("training.yaml", QUEUE)), false));
      long job = central.submit(JobDraft.command("true").spec()).id();
      central.await(job, TIMEOUT);
      central.queue("training");
      central.problems();
    } finally {
      cluster.stop();
    }
  }

  /** No other process waits for this one, so a hang would go unnoticed. */
  private static void haltAfterTimeout() {
    try {
      new Waiter().await(TIMEOUT);
      Runtime.getRuntime().halt(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
