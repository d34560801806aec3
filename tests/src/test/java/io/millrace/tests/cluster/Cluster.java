package io.millrace.tests.cluster;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.SourceFile;
import io.millrace.api.node.NodeStanding;
import io.millrace.api.overview.Overview;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.overview.QueueView;
import io.millrace.cli.server.EmbeddedCluster;
import io.millrace.cli.server.UpSettings;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.time.SystemClock;
import io.millrace.platform.token.KeyFiles;
import io.millrace.platform.token.Principal;
import io.millrace.platform.token.Role;
import io.millrace.platform.token.TokenFiles;
import io.millrace.platform.token.TokenIssuer;
import io.millrace.platform.transport.JdkTransport;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A cluster in this process, shared by the tests of one class: what {@code millrace up} runs, on
 * free loopback ports and in a folder that is deleted afterwards.
 */
public final class Cluster implements BeforeAllCallback, AfterAllCallback {
  private static final Duration READY_WITHIN = Duration.ofSeconds(40);

  private final int queueNodes;
  private final int executors;
  private final int slots;
  private final HttpTransport transport = new JdkTransport();
  private Path folder;
  private EmbeddedCluster cluster;

  public Cluster(int queueNodes, int executors, int slots) {
    this.queueNodes = queueNodes;
    this.executors = executors;
    this.slots = slots;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    folder = Files.createTempDirectory("millrace-cluster");
    Path data = Files.createDirectory(folder.resolve("data"));
    cluster =
        new EmbeddedCluster(
            new UpSettings(data, 0, queueNodes, executors, slots, true),
            transport,
            new SystemClock());
    cluster.start();
    Awaitility.await("every node is registered").atMost(READY_WITHIN).until(this::complete);
  }

  private boolean complete() {
    Overview overview = central().overview();
    return overview.queueNodes().stream().filter(QueueNodeView::live).count() == queueNodes
        && overview.executionNodes().stream()
                .filter(node -> node.standing() == NodeStanding.EMPLOYED)
                .count()
            == executors
        && !overview.balancers().isEmpty();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (cluster != null) {
      cluster.stop();
    }
    Folders.delete(folder);
  }

  /** The central manager's address. */
  public URI address() {
    return cluster.address();
  }

  /** The load balancer's address. */
  public URI balancerAddress() {
    return cluster.balancerAddress();
  }

  /** The server of each role, by the role's verb. */
  public Map<String, WebServer> servers() {
    return cluster.servers();
  }

  /** The file that holds a role's token. */
  public Path tokenFile(Role role) {
    return cluster.tokenFile(role);
  }

  /** A token for anybody, signed with the cluster's key. */
  public String token(Principal principal) {
    Path tokens = cluster.tokenFile(Role.ADMIN).getParent();
    return new TokenIssuer(KeyFiles.privateKey(tokens), new SystemClock())
        .issue(principal, Optional.empty());
  }

  /** A client of any server with a role's own token. */
  public ApiClient api(URI server, Role role) {
    String token = TokenFiles.read(tokenFile(role));
    return new ApiClient(transport, new Endpoints(List.of(server)), () -> token);
  }

  /** The central manager, asked by an admin. */
  public CentralClient central() {
    return central(Role.ADMIN);
  }

  /** The central manager, asked by a role. */
  public CentralClient central(Role role) {
    return new CentralClient(api(address(), role));
  }

  /** Sends events through the load balancer. */
  public QueueClient producer() {
    return new QueueClient(api(balancerAddress(), Role.PRODUCER));
  }

  /** A queue node, by name, asked by a role. */
  public ApiClient queueNode(String name, Role role) {
    URI address =
        central().overview().queueNodes().stream()
            .filter(node -> node.name().equals(name))
            .findFirst()
            .orElseThrow()
            .address();
    return api(address, role);
  }

  /** A queue as the overview shows it. */
  public QueueView view(String queue) {
    return central().overview().queues().stream()
        .filter(view -> view.name().equals(queue))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the overview does not show queue " + queue));
  }

  /** A folder of the test's own, outside the cluster's data. */
  public Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  /** Applies a queue's definition and waits until the load balancer and the nodes follow it. */
  public ApplyAnswer define(String yaml) {
    ApplyAnswer answer =
        central().apply(new ApplyRequest(List.of(new SourceFile("test.yaml", yaml)), false));
    String queue = answer.changes().get(0).name();
    Awaitility.await("segments of " + queue)
        .atMost(Duration.ofSeconds(20))
        .until(() -> followed(queue));
    return answer;
  }

  // The load balancer hears of a queue when its nodes do, and they have told of it already.
  private boolean followed(String queue) {
    return central().queue(queue).segments().stream().filter(one -> one.weight() > 0).count()
        == queueNodes;
  }
}
