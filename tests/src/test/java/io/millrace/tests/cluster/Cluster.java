package io.millrace.tests.cluster;

import io.millrace.api.NodeStatus;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.AttemptId;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.server.EmbeddedCluster;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.identity.AttemptSecrets;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A cluster in this process: what {@code millrace up} runs, on free loopback ports and in a folder
 * that is deleted afterwards. Classes with the same shape share a cluster, which exists until a
 * class with another shape begins ({@link ClusterOrder}): each class uses its own names of queues,
 * tasks and tags, and undoes what it pauses, drains or starts.
 */
public final class Cluster
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private static final Duration READY_WITHIN = Duration.ofSeconds(40);
  private static final Pattern SHORT_TICK = Pattern.compile("tick: \\d+ms");
  private static final Namespace CLUSTERS = Namespace.create(Cluster.class);

  private final Shape shape;
  private final boolean shared;
  private final HttpTransport transport = new JdkTransport();
  // Names of definitions whose managers tick often: those of the test, and those of the class.
  private final Map<String, String> hasty = new HashMap<>();
  private final Map<String, String> hastyOfClass = new HashMap<>();
  private Path folder;
  private EmbeddedCluster cluster;

  private record Shape(int queueNodes, int executors, int slots) {}

  /** The shared cluster; at most one is running at a time. */
  private static final class Shared implements AutoCloseable {
    private Shape shape;
    private Running running;

    synchronized Running of(Shape wanted) throws IOException {
      if (!wanted.equals(shape)) {
        close();
        running = Running.start(wanted);
        shape = wanted;
      }
      return running;
    }

    @Override
    public synchronized void close() throws IOException {
      if (running != null) {
        Running ended = running;
        running = null;
        shape = null;
        ended.close();
      }
    }
  }

  private record Running(Path folder, EmbeddedCluster cluster) implements Closeable {
    static Running start(Shape shape) {
      try {
        Path folder = Files.createTempDirectory("millrace-cluster");
        Path data = Files.createDirectory(folder.resolve("data"));
        EmbeddedCluster cluster =
            new EmbeddedCluster(
                new UpSettings(
                    data,
                    0,
                    shape.queueNodes(),
                    shape.executors(),
                    shape.slots(),
                    true,
                    Optional.empty()),
                new JdkTransport(),
                new SystemClock());
        cluster.start();
        return new Running(folder, cluster);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() throws IOException {
      cluster.stop();
      Folders.delete(folder);
    }
  }

  public Cluster(int queueNodes, int executors, int slots) {
    this(new Shape(queueNodes, executors, slots), true);
  }

  private Cluster(Shape shape, boolean shared) {
    this.shape = shape;
    this.shared = shared;
  }

  /** A cluster that only this class uses and that ends with it. */
  public static Cluster alone(int queueNodes, int executors, int slots) {
    return new Cluster(new Shape(queueNodes, executors, slots), false);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    // A store also finds what its parents hold: a cluster of its own needs a key of its own.
    ExtensionContext lasting = shared ? context.getRoot() : context;
    Object key = shared ? Shared.class : this;
    Running running =
        lasting
            .getStore(CLUSTERS)
            .getOrComputeIfAbsent(key, none -> new Shared(), Shared.class)
            .of(shape);
    folder = running.folder();
    cluster = running.cluster();
    Awaitility.await("every node is registered").atMost(READY_WITHIN).until(this::complete);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    hastyOfClass.putAll(hasty);
    hasty.clear();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    slowDown(hasty);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    slowDown(hastyOfClass);
  }

  /**
   * Stops the managers of queues that are no longer used, so that they do not tick during later
   * tests.
   */
  private void slowDown(Map<String, String> hasty) {
    List<SourceFile> slow =
        hasty.entrySet().stream()
            .map(
                one ->
                    new SourceFile(
                        one.getKey() + ".yaml",
                        SHORT_TICK.matcher(one.getValue()).replaceAll("tick: 10s")))
            .toList();
    hasty.clear();
    if (shared && !slow.isEmpty()) {
      central().apply(new ApplyRequest(slow, false));
    }
  }

  /** Equal for clusters with the same settings. */
  String shape() {
    return shape + (shared ? "" : " alone");
  }

  private boolean complete() {
    Overview overview = central().overview();
    return overview.queueNodes().stream().filter(QueueNodeView::live).count() == shape.queueNodes()
        && overview.executionNodes().stream()
                .filter(node -> node.status() == NodeStatus.ACTIVE)
                .count()
            == shape.executors()
        && !overview.balancers().isEmpty();
  }

  /** The central manager's address. */
  public URI address() {
    return cluster.address();
  }

  /** The load balancer's address. */
  public URI balancerAddress() {
    return cluster.balancerAddress();
  }

  /** The server of each role, by the command that runs it. */
  public Map<String, WebServer> servers() {
    return cluster.servers();
  }

  /** The file that holds a role's token. */
  public Path tokenFile(Role role) {
    return cluster.tokenFile(role);
  }

  /** A token for any principal, signed with the cluster's key. */
  public String token(Principal principal) {
    Path tokens = cluster.tokenFile(Role.ADMIN).getParent();
    return new TokenIssuer(KeyFiles.privateKey(tokens), new SystemClock())
        .issue(principal, Optional.empty());
  }

  /** The data directory of a node. */
  public Path dataDirectory(String node) {
    return folder.resolve("data").resolve(node);
  }

  /** The secret of an attempt. */
  public String secret(AttemptId attempt) {
    return new AttemptSecrets(KeyFiles.privateKey(tokenFile(Role.ADMIN).getParent())).of(attempt);
  }

  /** A client of the central manager with the identity of one of the nodes. */
  public CentralClient as(String node) {
    Path tokens = tokenFile(Role.ADMIN).getParent();
    return new NodeCalls(
            new NodeSigner(tokens).credential(dataDirectory(node)),
            KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)),
            List.of(address()),
            transport,
            new SystemClock())
        .central();
  }

  /** A token that was valid for a minute, an hour ago. */
  public String expiredToken(Principal principal) {
    ManualClock past = new ManualClock(Instant.now().minus(Duration.ofHours(1)));
    Path tokens = tokenFile(Role.ADMIN).getParent();
    return new TokenIssuer(KeyFiles.privateKey(tokens), past)
        .issue(principal, Optional.of(Duration.ofMinutes(1)));
  }

  /** A client of any server with the token of a role. */
  public ApiClient api(URI server, Role role) {
    String token = TokenFiles.read(tokenFile(role));
    return new ApiClient(transport, new Endpoints(List.of(server)), () -> token);
  }

  /** A client of the central manager with the role ADMIN. */
  public CentralClient central() {
    return central(Role.ADMIN);
  }

  /** A client of the central manager with a role. */
  public CentralClient central(Role role) {
    return new CentralClient(api(address(), role));
  }

  /** Sends events through the load balancer. */
  public QueueClient producer() {
    return new QueueClient(api(balancerAddress(), Role.PRODUCER));
  }

  /** A client of a queue node with a role. */
  public ApiClient queueNode(String name, Role role) {
    URI address =
        central().overview().queueNodes().stream()
            .filter(node -> node.name().equals(name))
            .findFirst()
            .orElseThrow()
            .address();
    return api(address, role);
  }

  /** A queue as shown in the overview; waits for it, because the overview is up to a second old. */
  public QueueView view(String queue) {
    return Awaitility.await("the overview shows queue " + queue)
        .pollDelay(Duration.ZERO)
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                central().overview().queues().stream()
                    .filter(view -> view.name().equals(queue))
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  /** The folder with all files of the cluster. */
  public Path folder() {
    return folder;
  }

  /** A folder for the test, outside the cluster's data. */
  public Path folder(String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  /** Applies a queue's definition and waits until the load balancer and the nodes follow it. */
  public ApplyAnswer define(String yaml) {
    ApplyAnswer answer =
        central().apply(new ApplyRequest(List.of(new SourceFile("test.yaml", yaml)), false));
    String queue = answer.changes().get(0).name();
    if (SHORT_TICK.matcher(yaml).find()) {
      hasty.put(queue, yaml);
    }
    Awaitility.await("segments of " + queue)
        .atMost(Duration.ofSeconds(20))
        .until(() -> followed(queue));
    return answer;
  }

  // The load balancer learns of a queue when its nodes do, and they have reported it already.
  private boolean followed(String queue) {
    return central().queue(queue).segments().stream().filter(one -> one.weight() > 0).count()
        == shape.queueNodes();
  }
}
