package io.millrace.executor.node;

import io.micrometer.core.instrument.Gauge;
import io.millrace.api.DataSize;
import io.millrace.api.MillraceException;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.execution.BackendContext;
import io.millrace.api.execution.ExecutionBackend;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.executor.agent.AttemptMeters;
import io.millrace.executor.agent.ExecutionAgent;
import io.millrace.executor.agent.ExecutionAgentSettings;
import io.millrace.executor.agent.HeldAttempts;
import io.millrace.executor.agent.SlotBook;
import io.millrace.executor.batch.LeasedBatch.BatchCalls;
import io.millrace.executor.http.AttemptLogRoutes;
import io.millrace.executor.http.StatusRoutes;
import io.millrace.executor.http.StatusRoutes.ExecutorStatus;
import io.millrace.executor.node.ExecutorNodeSettings.OfferSettings.NodeAttributes;
import io.millrace.executor.run.JobEnvironment;
import io.millrace.executor.run.LogRetention;
import io.millrace.executor.run.NodeBackend;
import io.millrace.executor.run.ProgramHost;
import io.millrace.executor.run.Runners;
import io.millrace.executor.run.UserLookup;
import io.millrace.executor.supervision.Supervisor;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.data.NodeSettings;
import io.millrace.platform.data.RequestNumbers;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.NodeCalls;
import io.millrace.platform.http.Route;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An execution node: runs attempts in slots, supervises their processes, serves their logs. Used in
 * a separate process and embedded in {@code millrace up}.
 */
public final class ExecutorNode implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExecutorNode.class);

  private final ExecutorNodeSettings settings;
  private final Surroundings surroundings;
  private final HeldAttempts held = new HeldAttempts();
  private final SlotBook slots;
  private final Metrics metrics;
  private final AttemptMeters meters;
  private volatile WebServer web;
  private volatile ExecutionAgent agent;
  // Guarded by this.
  private ServiceGroup parts;

  /**
   * The environment of a node.
   *
   * @param transport for calls to central managers and queue nodes
   * @param clock its clock
   * @param environment the process's environment, from which attempts inherit a few variables
   * @param programs the built-in programs
   * @param backends the backends from which its settings choose
   */
  public record Surroundings(
      HttpTransport transport,
      Clock clock,
      Map<String, String> environment,
      Collection<BuiltinProgram> programs,
      Collection<ExecutionBackend> backends) {
    public Surroundings {
      environment = Map.copyOf(environment);
      programs = List.copyOf(programs);
      backends = List.copyOf(backends);
    }

    /** With the backends of the class path. */
    public Surroundings(
        HttpTransport transport,
        Clock clock,
        Map<String, String> environment,
        Collection<BuiltinProgram> programs) {
      this(
          transport,
          clock,
          environment,
          programs,
          ServiceLoader.load(ExecutionBackend.class).stream()
              .map(ServiceLoader.Provider::get)
              .toList());
    }

    /**
     * The JDK's transport and clock, this process's environment, the programs of the class path.
     */
    public static Surroundings ofThisProcess() {
      return new Surroundings(
          new JdkTransport(),
          new SystemClock(),
          System.getenv(),
          ServiceLoader.load(BuiltinProgram.class).stream()
              .map(ServiceLoader.Provider::get)
              .toList());
    }
  }

  public ExecutorNode(ExecutorNodeSettings settings, Surroundings surroundings) {
    this.settings = settings;
    this.surroundings = surroundings;
    this.slots = new SlotBook(settings.slots());
    this.metrics = metrics();
    this.meters = new AttemptMeters(metrics.registry(), slots, held);
  }

  /**
   * Listens, takes over running attempts, and registers in the background.
   *
   * @throws MillraceException CONFIGURATION if a file, the port or the machine does not meet the
   *     requirements
   */
  @Override
  public synchronized void start() {
    Path data = settings.prepareFolder();
    Path attempts = data.resolve("attempts");
    DataLock lock = new DataLock(data);
    lock.start();
    try {
      NodeSettings own = settings.node();
      NodeCalls calls =
          new NodeCalls(
              own.credential(Role.EXECUTION_NODE, surroundings.clock()),
              own.clusterKey(),
              own.central(),
              surroundings.transport(),
              surroundings.clock());
      UUID id = calls.identity().id();
      RequestNumbers numbers = RequestNumbers.of(data, surroundings.clock());
      AttemptThreads threads = new AttemptThreads(settings.name(), settings.slots());
      UserLookup users = new UserLookup(settings.limits(), surroundings.clock());
      new LimitChecks(settings.limits(), secrets(), System.getProperty("user.name"))
          .require()
          .forEach(LOGGER::warn);
      users.prepare(data, attempts);
      NodeBackend backend =
          NodeBackend.open(
              settings.backend(),
              surroundings.backends(),
              new NodeContext(settings, surroundings, id),
              data.resolve("backend"));
      web = web(attempts, calls);
      LogRetention retention =
          new LogRetention(settings.name(), attempts, settings.logs(), surroundings.clock());
      agent = agent(calls, numbers, backend, threads, users, retention);
      parts =
          new ServiceGroup(
              List.of(onStop(lock::stop), threads, onStop(backend::close), web, retention, agent));
    } catch (RuntimeException e) {
      lock.stop();
      throw e;
    }
    parts.start();
  }

  /**
   * Stops running attempts or leaves them running, depending on the settings, and frees everything.
   */
  @Override
  public synchronized void stop() {
    if (parts != null) {
      parts.stop();
    }
  }

  /** The address at which the node serves logs; only after its start. */
  public URI address() {
    return web.address();
  }

  /** Its server, for tests of the routes; only after its start. */
  public WebServer web() {
    return web;
  }

  /** Whether a central manager knows the node. */
  public boolean isRegistered() {
    return agent != null && agent.isRegistered();
  }

  private WebServer web(Path attempts, NodeCalls calls) {
    List<Route> routes = new ArrayList<>(new AttemptLogRoutes(attempts, held).routes());
    routes.addAll(new StatusRoutes(this::status).routes());
    return new WebServer(
        settings.web(),
        Callers.withoutNodes(calls.verifier()),
        new Health(Map.of("registration", this::unregistered)),
        metrics,
        routes);
  }

  private ExecutionAgent agent(
      NodeCalls nodeCalls,
      RequestNumbers numbers,
      NodeBackend backend,
      AttemptThreads threads,
      UserLookup users,
      LogRetention retention) {
    Clock clock = surroundings.clock();
    HttpTransport transport = surroundings.transport();
    CentralClient central = nodeCalls.central();
    BatchCalls calls =
        new BatchCalls(
            transport,
            clock,
            threads.timer(),
            threads.pool(),
            threads.streams(),
            name -> addressOf(central, name));
    ProgramHost host = new ProgramHost(nodeCalls, clock, threads.timer(), threads.pool());
    return new ExecutionAgent(
        new ExecutionAgentSettings(
            nodeCalls.identity().id(),
            settings.name(),
            settings.pools(),
            settings.offer().with(settings.slots()),
            users.announcedWith(NodeAttributes.of(settings.offer(), settings.backend())),
            version(),
            settings.dataDirectory(),
            settings.diskReserve(),
            settings.stopWithin(),
            settings.keepRunningOnStop()),
        central,
        numbers,
        web::address,
        backend,
        runners(backend, calls, host, users),
        slots,
        held,
        retention,
        meters,
        disk(),
        clock);
  }

  private DiskReserve disk() {
    DiskReserve disk =
        DiskReserve.of(settings.dataDirectory(), settings.diskReserve(), surroundings.clock());
    disk.measure(metrics.registry());
    return disk;
  }

  private Runners runners(
      NodeBackend backend, BatchCalls calls, ProgramHost host, UserLookup users) {
    return new Runners(
        backend,
        calls,
        host,
        surroundings.programs(),
        new JobEnvironment(secrets()),
        users,
        settings.central());
  }

  private Path secrets() {
    return settings
        .limits()
        .secretsDirectory()
        .orElseGet(() -> settings.dataDirectory().resolve("secrets"));
  }

  private static String version() {
    String version = ExecutorNode.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static Optional<URI> addressOf(CentralClient central, String queueNode) {
    return central.topology(null, Duration.ZERO).stream()
        .flatMap(topology -> topology.nodes().stream())
        .filter(node -> node.name().equals(queueNode))
        .map(QueueNodeAddress::address)
        .findFirst();
  }

  private Metrics metrics() {
    Metrics metrics = new Metrics("execution-node", settings.name());
    Gauge.builder("millrace.registered", this, node -> node.isRegistered() ? 1 : 0)
        .description("1 while a central manager knows this node, otherwise 0")
        .register(metrics.registry());
    Gauge.builder("millrace.offered.processors", settings.offer()::offeredCpus)
        .description("processors that the node offers to jobs; 0 if they are not booked")
        .register(metrics.registry());
    Gauge.builder("millrace.offered.memory.bytes", settings.offer()::offeredMemory)
        .description("memory that the node offers to jobs; 0 if it is not booked")
        .register(metrics.registry());
    return metrics;
  }

  private ExecutorStatus status() {
    return new ExecutorStatus(
        settings.name(), isRegistered(), slots.capacity(), slots.used(), held.ids());
  }

  private Optional<String> unregistered() {
    return isRegistered()
        ? Optional.empty()
        : Optional.of("not registered with a central manager; registration is being retried");
  }

  private static Service onStop(Runnable stop) {
    return new Service() {
      @Override
      public void start() {
        // Started by its constructor.
      }

      @Override
      public void stop() {
        stop.run();
      }
    };
  }

  /** What the backend sees of this node. */
  private record NodeContext(ExecutorNodeSettings node, Surroundings surroundings, UUID nodeId)
      implements BackendContext {
    @Override
    public String nodeName() {
      return node.name();
    }

    @Override
    public int slots() {
      return node.slots();
    }

    @Override
    public Path folder() {
      return node.dataDirectory().resolve("run");
    }

    @Override
    public Path attempts() {
      return node.dataDirectory().resolve("attempts");
    }

    @Override
    public Map<String, String> environment() {
      return Supervisor.inherited(surroundings.environment());
    }

    @Override
    public Map<String, String> settings() {
      return node.backendSettings();
    }

    @Override
    public DataSize logHead() {
      return node.limits().logHead();
    }

    @Override
    public DataSize logTail() {
      return node.limits().logTail();
    }

    @Override
    public Optional<Path> controlGroup() {
      return node.limits().controlGroup();
    }

    @Override
    public Instant now() {
      return surroundings.clock().now();
    }

    @Override
    public long nanoTime() {
      return surroundings.clock().nanoTime();
    }
  }
}
