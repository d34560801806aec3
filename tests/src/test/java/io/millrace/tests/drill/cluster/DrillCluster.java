package io.millrace.tests.drill.cluster;

import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.insight.Overview;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.cluster.Folders;
import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.process.Distribution;
import io.millrace.tests.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.awaitility.Awaitility;

/**
 * A cluster with one process for each member of each role and every connection over a {@link Link}.
 * Faults may be injected by several threads.
 */
public final class DrillCluster implements AutoCloseable {
  // Twice the reserve below which nodes accept no more events.
  private static final int DISK_MEBIBYTES = 512;
  private static final Duration BACK_WITHIN = Duration.ofMinutes(8);
  private static final Duration READY_WITHIN = Duration.ofMinutes(2);

  private final Path folder;
  private final Shape shape;
  private final Distribution distribution;
  private final Consumer<String> crashes;
  private final Clocks clocks;
  private final Map<String, Integer> http = new HashMap<>();
  private final Links links;
  private final Configurations configurations;
  private final HttpTransport transport = new JdkTransport();
  private final Map<String, ServerProcess> processes = new ConcurrentHashMap<>();
  private final FaultTimeline timeline = new FaultTimeline();
  private final Map<String, FaultTimeline.Open> killed = new ConcurrentHashMap<>();
  private final SmallDisks disks = new SmallDisks();
  private final WorkInProgress workInProgress;
  // Ends the processes if the drill itself is stopped.
  private final Thread emergency = new Thread(this::endAll, "end of the drill's cluster");

  /**
   * Writes its configurations; {@link #start} starts the processes.
   *
   * @param clocks of the processes
   * @param crashes notified of each killed process
   */
  public DrillCluster(Shape shape, RandomGenerator random, Clocks clocks, Consumer<String> crashes)
      throws IOException {
    this.folder = Files.createTempDirectory("millrace-drill");
    this.shape = shape;
    this.crashes = crashes;
    this.clocks = clocks;
    this.distribution = Distribution.copied(folder);
    Ports ports = new Ports(random);
    Map<String, Integer> members = new HashMap<>();
    shape.names().forEach(name -> http.put(name, ports.free()));
    shape.memberNames().forEach(name -> members.put(name, ports.free()));
    this.links = new Links(shape, http, members, ports);
    this.configurations = new Configurations(folder, shape, links, http, members);
    this.workInProgress = new WorkInProgress(shape, links, this::lives);
    configurations.write();
    Runtime.getRuntime().addShutdownHook(emergency);
  }

  /** Puts the data of the nodes on small disks if that is permitted; call it before the start. */
  public void limitDisks() {
    shape.followerNames().stream()
        .filter(name -> !name.startsWith("lb"))
        .forEach(name -> disks.mount(name, folder.resolve("data").resolve(name), DISK_MEBIBYTES));
  }

  /** Starts every process and waits until the central managers know all of them. */
  public void start() {
    for (String name : shape.centralNames()) {
      // The first creates the keys that the others read.
      start(name).firstLine();
    }
    shape.followerNames().forEach(this::start);
    awaitEverybody();
  }

  /** The folder of its files and those of the drill. */
  public Path folder() {
    return folder;
  }

  public Shape shape() {
    return shape;
  }

  public Links links() {
    return links;
  }

  /** The small disks of some processes. */
  public SmallDisks disks() {
    return disks;
  }

  /** The work in progress of the processes. */
  public WorkInProgress workInProgress() {
    return workInProgress;
  }

  private ServerProcess start(String name) {
    return start(name, List.of());
  }

  private ServerProcess start(String name, List<String> javaOptions) {
    List<String> options = new ArrayList<>(clocks.options(name));
    options.addAll(javaOptions);
    String verb =
        switch (name.charAt(0)) {
          case 'c' -> "manager";
          case 'q' -> "queue-node";
          case 'e' -> "executor-node";
          default -> "load-balancer";
        };
    try {
      ServerProcess process =
          distribution.start(name, options, verb, "--config", configurations.file(name).toString());
      processes.put(name, process);
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** kill -9; notifies the listener. Connections to the dead process are refused. */
  public void kill(String name) {
    killed.computeIfAbsent(name, one -> timeline.begin("kill -9", Set.of(one)));
    try {
      processes.get(name).kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    crashes.accept(name);
    links.to(name).forEach(link -> link.cut(LinkFailure.REFUSED));
  }

  /**
   * Restarts a killed process as often as it ends, as systemd does (a central manager ends while
   * its database is unavailable); waits until it answers.
   */
  public void restart(String name) {
    restart(name, List.of());
  }

  /** The same with additional JVM options, until its next start. */
  public void restart(String name, List<String> javaOptions) {
    links.to(name).forEach(Link::heal);
    Awaitility.await(name + " is back")
        .atMost(BACK_WITHIN)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(() -> start(name, javaOptions).firstLine());
    FaultTimeline.Open open = killed.remove(name);
    if (open != null) {
      open.end();
    }
  }

  /** Which faults were injected when; kills are recorded here, all other faults by the injector. */
  public FaultTimeline timeline() {
    return timeline;
  }

  /** SIGSTOP: the process keeps its connections and locks but does nothing. */
  public void freeze(String name) {
    signal(() -> processes.get(name).freeze());
  }

  /** Resumes it. */
  public void thaw(String name) {
    signal(() -> processes.get(name).thaw());
  }

  private interface Signal {
    void send() throws IOException, InterruptedException;
  }

  private static void signal(Signal signal) {
    try {
      signal.send();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The wall clocks of the processes. */
  public Clocks clocks() {
    return clocks;
  }

  public boolean lives(String name) {
    return processes.get(name).isAlive();
  }

  public ServerProcess process(String name) {
    return processes.get(name);
  }

  /** Waits until every process is alive and the central managers know all of them. */
  public void awaitEverybody() {
    processes.values().forEach(ServerProcess::firstLine);
    for (String name : shape.centralNames()) {
      Awaitility.await("every process is known to " + name)
          .atMost(READY_WITHIN)
          .pollInterval(Duration.ofMillis(200))
          .ignoreExceptionsMatching(MillraceException.class::isInstance)
          .until(() -> complete(central(name).overview()));
    }
    central(shape.centralNames().get(0))
        .overview()
        .executionNodes()
        .forEach(node -> workInProgress.known(node.id().toString(), node.name()));
  }

  private boolean complete(Overview overview) {
    return overview.queueNodes().stream().filter(QueueNodeView::live).count() == shape.queueNodes()
        && overview.balancers().size() == shape.balancers()
        && overview.executionNodes().stream()
                .filter(node -> node.status() == NodeStatus.ACTIVE)
                .count()
            == shape.executionNodes();
  }

  /** Applies a queue's definition and waits until its segments exist. */
  public void define(String queue, String yaml, int segments) {
    central("c1").apply(new ApplyRequest(List.of(new SourceFile(queue + ".yaml", yaml)), false));
    Awaitility.await("segments of " + queue)
        .atMost(READY_WITHIN)
        .until(
            () ->
                central("c1").queue(queue).segments().stream()
                        .filter(one -> one.weight() > 0)
                        .count()
                    == segments);
  }

  /** A client of a central manager that bypasses the links. */
  public CentralClient central(String name) {
    return new CentralClient(api(direct(name), Role.ADMIN, transport));
  }

  /** The same with a short timeout. */
  public CentralClient hasty(String name) {
    return new CentralClient(impatient(name));
  }

  /** A client of a server with the role ADMIN that bypasses the links. */
  public ApiClient admin(String name) {
    return api(direct(name), Role.ADMIN, transport);
  }

  /** The same with a short timeout. */
  public ApiClient impatient(String name) {
    return api(
        direct(name), Role.ADMIN, new ShortTimeoutTransport(transport, Duration.ofSeconds(2)));
  }

  /** A client of a queue node that bypasses the links. */
  public QueueClient node(String name) {
    return new QueueClient(api(direct(name), Role.OPERATOR, transport));
  }

  /** A client with a short timeout that connects over a link. */
  public QueueClient over(String link, Role role, Duration patience) {
    HttpTransport hasty = new ShortTimeoutTransport(transport, patience);
    return new QueueClient(api(links.get(link).address(), role, hasty));
  }

  private URI direct(String name) {
    return URI.create("http://127.0.0.1:" + http.get(name));
  }

  private ApiClient api(URI server, Role role, HttpTransport by) {
    String token = TokenFiles.read(TokenFiles.of(folder.resolve("tokens"), role));
    return new ApiClient(by, new Endpoints(List.of(server)), () -> token);
  }

  /**
   * Ends every process in any state and deletes their files, unless {@code drill.keep} is set to
   * keep them for analysis.
   */
  @Override
  public void close() throws IOException {
    Runtime.getRuntime().removeShutdownHook(emergency);
    endAll();
    if (Boolean.getBoolean("drill.keep")) {
      System.out.println("drill: files and logs are kept in " + folder);
    } else {
      Folders.delete(folder);
    }
  }

  private void endAll() {
    links.heal();
    List<String> names = new ArrayList<>(shape.names());
    // The central managers last, because nodes unregister from them.
    Collections.reverse(names);
    try {
      for (String name : names) {
        end(processes.get(name));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      links.close();
      disks.close();
    }
  }

  private static void end(ServerProcess process) throws IOException {
    if (process == null) {
      return;
    }
    try {
      process.thaw();
      process.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
