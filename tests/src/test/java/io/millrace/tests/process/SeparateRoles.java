package io.millrace.tests.process;

import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.cluster.Folders;
import io.millrace.tests.cluster.NodeSigner;
import io.millrace.tests.drill.cluster.Ports;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A cluster of one process for each role, shared by the tests of one class: a central manager c1, a
 * load balancer lb1, queue nodes q1 … and execution nodes e1 …, on free loopback ports. They run in
 * the folder of their configurations.
 */
public final class SeparateRoles implements BeforeAllCallback, AfterAllCallback {
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  private final List<String> queueNodes;
  private final List<String> executionNodes;
  private final Map<String, String> settings;
  private final Map<String, ServerProcess> processes = new HashMap<>();
  private Path folder;
  private Distribution distribution;
  private URI central;

  SeparateRoles() {
    this(2, 2, Map.of());
  }

  /**
   * A cluster with another number of nodes.
   *
   * @param settings additional configuration lines of a process, by its name; an execution node
   *     without any gets 4 slots
   */
  public SeparateRoles(int queueNodes, int executionNodes, Map<String, String> settings) {
    this.queueNodes = names("q", queueNodes);
    this.executionNodes = names("e", executionNodes);
    this.settings = Map.copyOf(settings);
  }

  private static List<String> names(String letter, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(number -> letter + number).toList();
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    Distribution.assumeBuilt();
    folder = Files.createTempDirectory("millrace-roles");
    // Jobs may run as other users.
    for (Path way : List.of(folder, Files.createDirectory(folder.resolve("data")))) {
      Files.setPosixFilePermissions(way, PosixFilePermissions.fromString("rwx--x--x"));
    }
    distribution = new Distribution(folder);
    Ports ports = new Ports(new SplittableRandom());
    int port = ports.free();
    central = URI.create("http://127.0.0.1:" + port);
    configure("c1", "tokensDirectory: tokens\nweb: {port: " + port + "}\n");
    start("c1").firstLine();
    configure("lb1", node() + "web: {port: " + ports.free() + "}\n");
    for (String name : queueNodes) {
      configure(name, node());
    }
    for (String name : executionNodes) {
      configure(name, node() + usual(settings.getOrDefault(name, "")));
    }
    for (String name : followers()) {
      start(name);
    }
    awaitEveryNode();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    // The central manager last, because nodes unregister from it.
    List<String> names = new ArrayList<>(followers());
    Collections.reverse(names);
    names.add("c1");
    for (String name : names) {
      if (processes.containsKey(name)) {
        processes.get(name).end();
      }
    }
    if (folder != null) {
      Folders.delete(folder);
    }
  }

  private List<String> followers() {
    return Stream.of(queueNodes, List.of("lb1"), executionNodes).flatMap(List::stream).toList();
  }

  private static String node() {
    return "publicKeyFile: tokens/cluster.pub\n";
  }

  /** What an execution node has unless the test says otherwise. */
  private static String usual(String settings) {
    return (settings.isEmpty() ? "slots: 4\n" : "")
        + (settings.contains("limits:") ? "" : "limits: {allowRoot: true}\n");
  }

  private void configure(String name, String usual) throws IOException {
    String nodes = name.startsWith("c") ? "" : "central: [" + central + "]\n";
    Files.writeString(
        folder.resolve(name + ".yaml"),
        "name: "
            + name
            + "\ndataDirectory: data/"
            + name
            + "\n"
            + nodes
            + usual
            + settings.getOrDefault(name, ""));
  }

  /** Starts or restarts a role's process. */
  public ServerProcess start(String name) throws IOException {
    String verb =
        switch (name.charAt(0)) {
          case 'c' -> "manager";
          case 'q' -> "queue-node";
          case 'l' -> "load-balancer";
          default -> "executor-node";
        };
    ServerProcess process =
        distribution.start(name, verb, "--config", folder.resolve(name + ".yaml").toString());
    processes.put(name, process);
    return process;
  }

  /** Kills a role's process with kill -9. */
  public void kill(String name) throws InterruptedException {
    processes.get(name).kill();
  }

  /** Waits until the central manager considers every node alive. */
  public void awaitEveryNode() {
    processes.values().forEach(ServerProcess::firstLine);
    Awaitility.await("every node is registered").atMost(READY_WITHIN).until(this::complete);
  }

  private boolean complete() {
    Overview overview = central().overview();
    return overview.queueNodes().stream().filter(QueueNodeView::live).count() == queueNodes.size()
        && overview.executionNodes().stream()
                .filter(one -> one.status() == NodeStatus.ACTIVE)
                .count()
            == executionNodes.size()
        && !overview.balancers().isEmpty();
  }

  public CentralClient central() {
    return new CentralClient(api(central, Role.ADMIN));
  }

  /** Sends events through the load balancer. */
  public QueueClient producer() {
    return new QueueClient(api(central().overview().balancers().get(0).address(), Role.PRODUCER));
  }

  /** A client of the central manager with the identity of one of the nodes. */
  public CentralClient as(String node) {
    Path tokens = folder.resolve("tokens");
    return new NodeCalls(
            new NodeSigner(tokens).credential(folder.resolve("data").resolve(node)),
            KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)),
            List.of(central),
            new JdkTransport(),
            new SystemClock())
        .central();
  }

  /** The address of the central manager. */
  public URI address() {
    return central;
  }

  /** The folder with the keys and the tokens of the roles. */
  public Path tokens() {
    return folder.resolve("tokens");
  }

  /** The data directory of a role. */
  Path data(String name) {
    return folder.resolve("data").resolve(name);
  }

  /** The configuration of a role. */
  Path configuration(String name) {
    return folder.resolve(name + ".yaml");
  }

  /** The process of a role. */
  ServerProcess process(String name) {
    return processes.get(name);
  }

  /** A client of a queue node at its current address. */
  public QueueClient queueNode(String name) {
    return central().overview().queueNodes().stream()
        .filter(one -> one.name().equals(name))
        .map(one -> new QueueClient(api(one.address(), Role.OPERATOR)))
        .findFirst()
        .orElseThrow();
  }

  private ApiClient api(URI server, Role role) {
    String token = TokenFiles.read(TokenFiles.of(folder.resolve("tokens"), role));
    return new ApiClient(new JdkTransport(), new Endpoints(List.of(server)), () -> token);
  }

  /** A folder for what workers write. */
  public Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  /** A queue as shown by the central manager. */
  public QueueView view(String queue) {
    return central().queue(queue).queue();
  }

  /** Applies a queue's definition and waits until every queue node holds a segment of it. */
  public void define(String queue, String yaml) {
    central().apply(new ApplyRequest(List.of(new SourceFile(queue + ".yaml", yaml)), false));
    Awaitility.await("segments of " + queue)
        .atMost(READY_WITHIN)
        .until(
            () ->
                central().queue(queue).segments().stream().filter(one -> one.weight() > 0).count()
                    == queueNodes.size());
  }
}
