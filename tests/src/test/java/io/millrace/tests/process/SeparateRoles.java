package io.millrace.tests.process;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.SourceFile;
import io.millrace.api.node.NodeStanding;
import io.millrace.api.overview.Overview;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.overview.QueueView;
import io.millrace.platform.token.Role;
import io.millrace.platform.token.TokenFiles;
import io.millrace.platform.transport.JdkTransport;
import io.millrace.tests.cluster.Folders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A cluster of one process for each role, shared by the tests of one class: a central manager, a
 * load balancer, two queue nodes and two execution nodes, on free loopback ports.
 */
final class SeparateRoles implements BeforeAllCallback, AfterAllCallback {
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  private final Map<String, ServerProcess> processes = new HashMap<>();
  private Path folder;
  private Distribution distribution;
  private URI central;

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    Distribution.assumeBuilt();
    folder = Files.createTempDirectory("millrace-roles");
    distribution = new Distribution(folder);
    int port = freePort();
    central = URI.create("http://127.0.0.1:" + port);
    List<Integer> members = List.of(freePort(), freePort());
    configure("c1", "tokensDirectory: tokens\nweb: {port: " + port + "}");
    start("c1").firstLine();
    configure("lb1", node());
    configure("q1", node() + membership(members.get(0), members));
    configure("q2", node() + membership(members.get(1), members));
    configure("e1", node() + "slots: 4\n");
    configure("e2", node() + "slots: 4\n");
    for (String name : List.of("q1", "q2", "lb1", "e1", "e2")) {
      start(name);
    }
    awaitEveryNode();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    // The central manager last: nodes say goodbye to it.
    for (String name : List.of("e1", "e2", "lb1", "q1", "q2", "c1")) {
      if (processes.containsKey(name)) {
        processes.get(name).end();
      }
    }
    if (folder != null) {
      Folders.delete(folder);
    }
  }

  private static String node() {
    return "publicKeyFile: tokens/cluster.pub\ntokenFile: tokens/node.token\n";
  }

  private static String membership(int own, List<Integer> all) {
    return """
        membership:
          clusterName: drill-%d
          port: %d
          members: ["127.0.0.1:%d", "127.0.0.1:%d"]
        """
        .formatted(all.get(0), own, all.get(0), all.get(1));
  }

  private void configure(String name, String settings) throws IOException {
    String nodes = name.startsWith("c") ? "" : "central: [" + central + "]\n";
    Files.writeString(
        folder.resolve(name + ".yaml"),
        "name: " + name + "\ndataDirectory: data/" + name + "\n" + nodes + settings);
  }

  /** Starts a role's process, for the first time or again. */
  ServerProcess start(String name) throws IOException {
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

  /** Ends a role's process as kill -9 does. */
  void kill(String name) throws InterruptedException {
    processes.get(name).kill();
  }

  /** Waits until the central manager knows every node as living. */
  void awaitEveryNode() {
    processes.values().forEach(ServerProcess::firstLine);
    Awaitility.await("every node is registered").atMost(READY_WITHIN).until(this::complete);
  }

  private boolean complete() {
    Overview overview = central().overview();
    return overview.queueNodes().stream().filter(QueueNodeView::live).count() == 2
        && overview.executionNodes().stream()
                .filter(one -> one.standing() == NodeStanding.EMPLOYED)
                .count()
            == 2
        && !overview.balancers().isEmpty();
  }

  CentralClient central() {
    return new CentralClient(api(central, Role.ADMIN));
  }

  /** Sends events through the load balancer. */
  QueueClient producer() {
    return new QueueClient(api(central().overview().balancers().get(0).address(), Role.PRODUCER));
  }

  /** A queue node, where it answers now. */
  QueueClient queueNode(String name) {
    return central().overview().queueNodes().stream()
        .filter(one -> one.name().equals(name))
        .map(one -> new QueueClient(api(one.address(), Role.NODE)))
        .findFirst()
        .orElseThrow();
  }

  private ApiClient api(URI server, Role role) {
    String token = TokenFiles.read(TokenFiles.of(folder.resolve("tokens"), role));
    return new ApiClient(new JdkTransport(), new Endpoints(List.of(server)), () -> token);
  }

  /** A folder for what workers write. */
  Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  QueueView view(String queue) {
    return central().queue(queue).queue();
  }

  /** Applies a queue's definition and waits until both nodes hold a segment of it. */
  void define(String queue, String yaml) {
    central().apply(new ApplyRequest(List.of(new SourceFile(queue + ".yaml", yaml)), false));
    Awaitility.await("segments of " + queue)
        .atMost(READY_WITHIN)
        .until(
            () ->
                central().queue(queue).segments().stream().filter(one -> one.weight() > 0).count()
                    == 2);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
