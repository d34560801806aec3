package io.millrace.cli.server;

import io.millrace.api.MillraceException;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.HttpTransport;
import io.millrace.cli.server.Readiness.Missing;
import io.millrace.cli.server.RoleCommand.ServerRole;
import io.millrace.executor.node.ExecutorNode;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.loadbalancer.node.LoadBalancer;
import io.millrace.loadbalancer.node.LoadBalancerSettings;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.HazelcastClusterView;
import io.millrace.platform.membership.MembershipSettings;
import io.millrace.queuenode.node.QueueNode;
import io.millrace.queuenode.node.QueueNodeSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A complete cluster in one process: the classes of the stand-alone roles, talking HTTP over
 * loopback. They share one Hazelcast member, because a member represents a process. Start and stop
 * block; a stopped cluster cannot be started again. Used by {@code up} and by tests.
 */
public final class EmbeddedCluster implements Service {
  private final EmbeddedSettings roles;
  private final HttpTransport transport;
  private final Clock clock;
  private final ClusterView view;
  private final CentralManager central;
  private final Deferred<LoadBalancer> balancer;
  private final List<Deferred<QueueNode>> queueNodes;
  private final List<Deferred<ExecutorNode>> executors;
  private final ServiceGroup services;

  /** Creates the parts; nothing is opened before the start. */
  public EmbeddedCluster(UpSettings settings, HttpTransport transport, Clock clock) {
    this.roles = new EmbeddedSettings(settings);
    this.transport = transport;
    this.clock = clock;
    this.view = new HazelcastClusterView(MembershipSettings.defaults(), clock);
    this.central = new CentralManager(roles.central(), clock);
    this.balancer = new Deferred<>(this::loadBalancer);
    this.queueNodes = numbered(settings.queueNodes(), this::queueNode);
    this.executors = numbered(settings.executors(), this::executorNode);
    List<Service> producers = new ArrayList<>(queueNodes);
    producers.add(balancer);
    // Stopped in reverse order: attempts end while the managers and queues that they report to run.
    this.services =
        new ServiceGroup(
            List.of(
                view,
                central,
                new ParallelServices("queue-nodes", producers),
                new ParallelServices("executor-nodes", executors)));
  }

  @Override
  public void start() {
    services.start();
  }

  @Override
  public void stop() {
    services.stop();
  }

  /** Address of the central manager; only after the start. */
  public URI address() {
    return central.address();
  }

  /** Address of the load balancer; only after the start. */
  public URI balancerAddress() {
    return balancer.get().address();
  }

  /**
   * Why the central manager refuses the calls of a node; empty if it does not. Blocks; only after
   * the start.
   */
  Optional<MillraceException> refusal(Missing node) {
    try {
      NodeSettings own = roles.node(node.name(), central.address());
      new NodeCalls(
              own.credential(node.role(), clock), own.clusterKey(), own.central(), transport, clock)
          .central()
          .topology(null, Duration.ZERO);
      return Optional.empty();
    } catch (MillraceException e) {
      return Optional.of(e);
    }
  }

  /** The token file of a role. */
  public Path tokenFile(Role role) {
    return TokenFiles.of(central.tokens(), role);
  }

  /**
   * The server of each role by the role's configuration verb, so that a test can walk the routes.
   */
  public Map<String, WebServer> servers() {
    return Map.of(
        ServerRole.MANAGER.verb(), central.web(),
        ServerRole.QUEUE_NODE.verb(), queueNodes.get(0).get().web(),
        ServerRole.LOAD_BALANCER.verb(), balancer.get().web(),
        ServerRole.EXECUTOR_NODE.verb(), executors.get(0).get().web());
  }

  private Deferred<QueueNode> queueNode(String number) {
    return new Deferred<>(
        () -> {
          QueueNodeSettings own = roles.queueNode("q" + number, central.address());
          return new QueueNode(own, clock, transport, view);
        });
  }

  private Deferred<ExecutorNode> executorNode(String number) {
    return new Deferred<>(
        () -> {
          ExecutorNodeSettings own = roles.executorNode("e" + number, central.address());
          return new ExecutorNode(own, surroundings(transport, clock));
        });
  }

  private LoadBalancer loadBalancer() {
    LoadBalancerSettings own = roles.loadBalancer("lb1", central.address());
    return new LoadBalancer(own, clock, transport, view);
  }

  /** The environment of execution nodes in this process. */
  static ExecutorNode.Surroundings surroundings(HttpTransport transport, Clock clock) {
    List<BuiltinProgram> programs = new ArrayList<>();
    ServiceLoader.load(BuiltinProgram.class).forEach(programs::add);
    return new ExecutorNode.Surroundings(transport, clock, System.getenv(), programs);
  }

  private static <T> List<T> numbered(int count, Function<String, T> maker) {
    return IntStream.rangeClosed(1, count).mapToObj(Integer::toString).map(maker).toList();
  }

  /**
   * Independent services that are started and stopped in parallel. If one fails to start, the
   * others are stopped and the first failure is thrown.
   */
  private static final class ParallelServices implements Service {
    private final String name;
    private final List<Service> services;

    ParallelServices(String name, Collection<? extends Service> services) {
      this.name = name;
      this.services = List.copyOf(services);
    }

    @Override
    public void start() {
      try {
        each("start", Service::start);
      } catch (RuntimeException e) {
        stop();
        throw e;
      }
    }

    @Override
    public void stop() {
      each("stop", Service::stop);
    }

    private void each(String verb, Consumer<Service> step) {
      Executor threads = task -> Threads.daemon(verb + "-" + name, task).start();
      List<CompletableFuture<Void>> steps = new ArrayList<>();
      for (Service service : services) {
        steps.add(CompletableFuture.runAsync(() -> step.accept(service), threads));
      }
      RuntimeException first = null;
      for (CompletableFuture<Void> one : steps) {
        try {
          one.join();
        } catch (CompletionException e) {
          first = first != null ? first : cause(e);
        }
      }
      if (first != null) {
        throw first;
      }
    }

    private static RuntimeException cause(CompletionException e) {
      return e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  /**
   * A service that is created when it is started, because its constructor opens files. Thread-safe.
   */
  static final class Deferred<S extends Service> implements Service {
    private final Supplier<S> maker;
    // Guarded by this.
    private S service;

    Deferred(Supplier<S> maker) {
      this.maker = maker;
    }

    @Override
    public synchronized void start() {
      service = maker.get();
      service.start();
    }

    @Override
    public synchronized void stop() {
      if (service != null) {
        service.stop();
      }
    }

    /** The service; only after its start. */
    synchronized S get() {
      return service;
    }
  }

  /**
   * Settings of {@code up}.
   *
   * @param data directory of all data
   * @param port of the central manager; the load balancer uses the next one; 0 for any free ports
   * @param queueNodes number of queue nodes
   * @param executors number of execution nodes
   * @param slots of each execution node; 0 for two per processor
   * @param quickSamples whether queue histories get a point each second, for days that last minutes
   * @param runAs the user of jobs; empty for the user of this process
   */
  public record UpSettings(
      Path data,
      int port,
      int queueNodes,
      int executors,
      int slots,
      boolean quickSamples,
      Optional<String> runAs) {}

  /**
   * The settings of each role in {@code up}: defaults, with directories below the data directory.
   */
  private static final class EmbeddedSettings {
    private final UpSettings up;
    private final Path tokens;

    EmbeddedSettings(UpSettings up) {
      this.up = up;
      this.tokens = up.data().resolve("tokens");
    }

    CentralSettings central() {
      return CentralSettings.defaults()
          .withDataDirectory(up.data().resolve("central"))
          .withTokensDirectory(Optional.of(tokens))
          .withWeb(WebSettings.loopback(up.port()))
          .withQueues(
              up.quickSamples()
                  ? new QueueSettings(Duration.ofSeconds(1))
                  : QueueSettings.defaults());
    }

    QueueNodeSettings queueNode(String name, URI central) {
      return QueueNodeSettings.of(name, up.data().resolve(name), List.of(central), publicKey())
          .sharingItsProcess();
    }

    LoadBalancerSettings loadBalancer(String name, URI central) {
      int port = up.port() == 0 ? 0 : up.port() + 1;
      LoadBalancerSettings usual = LoadBalancerSettings.defaults();
      return new LoadBalancerSettings(
          name,
          up.data().resolve(name),
          List.of(central),
          publicKey(),
          usual.identityFile(),
          WebSettings.loopback(port),
          usual.bodyMemory(),
          usual.membership());
    }

    ExecutorNodeSettings executorNode(String name, URI central) {
      ExecutorNodeSettings usual =
          ExecutorNodeSettings.of(name, up.data().resolve(name), List.of(central), publicKey());
      return new ExecutorNodeSettings(
          usual.name(),
          usual.dataDirectory(),
          usual.central(),
          usual.publicKeyFile(),
          usual.identityFile(),
          usual.web(),
          up.slots() == 0 ? usual.slots() : up.slots(),
          usual.offer().sharedBy(up.executors()),
          usual.pools(),
          usual.backend(),
          usual.backendSettings(),
          usual.diskReserve(),
          usual.logs(),
          usual.limits().withUser(up.runAs()),
          usual.stopWithin(),
          usual.keepRunningOnStop());
    }

    NodeSettings node(String name, URI central) {
      Path data = up.data().resolve(name);
      return new NodeSettings(name, data, List.of(central), publicKey(), Optional.empty());
    }

    private Path publicKey() {
      return tokens.resolve(KeyFiles.PUBLIC);
    }
  }
}
