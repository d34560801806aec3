package io.millrace.tests.drill.session;

import io.millrace.api.Json;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.session.SessionProgram.Manner;
import io.millrace.tests.drill.session.SessionProgram.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The workers that are programs outside, each a process of its own that no server knows or ends:
 * w1, w2 ... They reach the queue nodes over the links of consumers. Thread-safe.
 */
final class OutsidePrograms implements AutoCloseable {
  private static final String FAILURE = "Exception in thread";
  private static final int ENDED_SECONDS = 30;

  private final DrillCluster cluster;
  private final Path journals;
  private final String queue;
  private final Map<String, Manner> manners;
  private final Map<String, Process> processes = new ConcurrentHashMap<>();
  // Ends the processes if the drill itself is stopped.
  private final Thread emergency = new Thread(this::endAll, "end of the drill's programs");

  /** Those of these names, which {@link #start} starts. */
  OutsidePrograms(DrillCluster cluster, Path journals, String queue, Map<String, Manner> manners) {
    this.cluster = cluster;
    this.journals = journals;
    this.queue = queue;
    this.manners = new TreeMap<>(manners);
    Runtime.getRuntime().addShutdownHook(emergency);
  }

  List<String> names() {
    return List.copyOf(manners.keySet());
  }

  void start() {
    names().forEach(this::start);
  }

  /** Starts one, as a new process. */
  void start(String name) {
    try {
      Path settings = cluster.folder().resolve(name + ".json");
      Files.writeString(settings, Json.write(settings(name)));
      ProcessBuilder builder =
          new ProcessBuilder(SessionProgram.command(settings)).directory(cluster.folder().toFile());
      builder.environment().keySet().removeIf(variable -> variable.startsWith("MILLRACE_"));
      Redirect log = Redirect.appendTo(log(name).toFile());
      processes.put(name, builder.redirectOutput(log).redirectError(log).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Settings settings(String name) {
    Map<String, URI> nodes = new TreeMap<>();
    for (String node : cluster.shape().queueNodeNames()) {
      nodes.put(node, cluster.links().get("consumers>" + node).address());
    }
    return new Settings(
        name,
        journals,
        queue,
        nodes,
        TokenFiles.of(cluster.folder().resolve("tokens"), Role.OPERATOR),
        manners.get(name));
  }

  boolean lives(String name) {
    return processes.get(name).isAlive();
  }

  /** What they have printed of threads that failed. */
  List<String> failures() throws IOException {
    List<String> failures = new ArrayList<>();
    for (String name : names()) {
      Files.readAllLines(log(name)).stream()
          .filter(line -> line.startsWith(FAILURE))
          .forEach(line -> failures.add(name + ": " + line));
    }
    return failures;
  }

  private Path log(String name) {
    return cluster.folder().resolve(name + ".log");
  }

  /** kill -9. */
  void kill(String name) {
    Process process = processes.get(name);
    process.destroyForcibly();
    try {
      process.waitFor(ENDED_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** SIGSTOP. */
  void freeze(String name) {
    signal(processes.get(name).pid(), "STOP");
  }

  /** Goes on after {@link #freeze}. */
  void thaw(String name) {
    signal(processes.get(name).pid(), "CONT");
  }

  static void signal(long pid, String signal) {
    try {
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void endAll() {
    names().stream().filter(processes::containsKey).forEach(this::kill);
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(emergency);
    endAll();
  }
}
