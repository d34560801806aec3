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
import java.util.stream.Stream;

/**
 * Runs a small cluster once, on loopback, with a queue and a job. The launcher starts it to record
 * which classes servers load; nothing that it prints or keeps is seen by anybody.
 */
public final class ServerRehearsal {
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final String QUEUE = "{kind: queue, name: rehearsal, worker: {command: ['true']}}";

  private ServerRehearsal() {}

  /** Runs it to its end, or for a minute. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Threads.daemon("rehearsal-end", ServerRehearsal::end).start();
    Path folder = Files.createTempDirectory("millrace-rehearsal");
    try {
      ServerLogging.configure(folder.resolve("logs"), "rehearsal", "OFF");
      rehearse(new UpSettings(folder.resolve("data"), 0, 1, 1, 1, false));
    } finally {
      delete(folder);
    }
  }

  private static void rehearse(UpSettings settings) throws InterruptedException {
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
      new Readiness(central, settings, clock, began).await(() -> false);
      central.apply(new ApplyRequest(List.of(new SourceFile("rehearsal.yaml", QUEUE)), false));
      long job = central.submit(JobDraft.command("true").spec()).id();
      central.await(job, LONGEST);
      central.queue("rehearsal");
      central.problems();
    } finally {
      cluster.stop();
    }
  }

  /** Nobody waits for it, so nobody would miss one that hangs. */
  private static void end() {
    try {
      new Waiter().await(LONGEST);
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
