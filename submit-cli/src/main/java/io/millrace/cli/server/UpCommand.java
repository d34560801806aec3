package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.QueueClient;
import io.millrace.cli.invocation.Connection.LoginLink;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.PointerFile;
import io.millrace.cli.invocation.PointerFile.Pointer;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Terminal;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.cli.server.RunningService.StopSignals;
import io.millrace.executor.run.JobFolders;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.platform.data.FolderLock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace up}. */
@Command(
    name = "up",
    description = "Runs a whole cluster in one process on this machine until Ctrl-C.",
    footer = {
      "",
      "Examples:",
      "  millrace up",
      "  millrace up --data /tmp/try --port 7800",
      "  millrace up --demo --speed 600      replay a day in 144 seconds",
      "  sudo millrace up --data /var/lib/millrace --run-as jobs",
      "",
      "All data is stored in the data directory (default: MILLRACE_DATA or ~/.millrace). Started",
      "again on the same directory, the cluster continues where it stopped."
    })
public final class UpCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "7700",
      description =
          "Port of the central manager (default: ${DEFAULT-VALUE}); the load balancer uses the next"
              + " one. 0 uses any free ports.")
  private int port;

  @Option(
      names = "--queue-nodes",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of queue nodes (default: ${DEFAULT-VALUE}).")
  private int queueNodes;

  @Option(
      names = "--executors",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of execution nodes (default: ${DEFAULT-VALUE}).")
  private int executors;

  @Option(
      names = "--slots",
      paramLabel = "N",
      description = "Slots of each execution node (default: two per processor, at least 4).")
  private int slots;

  @Option(
      names = "--run-as",
      paramLabel = "USER",
      description =
          "Run the jobs as this user, who cannot read the cluster's keys and data. Needs root"
              + " (default: the user who runs the cluster).")
  private String runAs;

  @Option(names = "--demo", description = "Replay a day of real traffic through five queues.")
  private boolean demo;

  @Option(
      names = "--speed",
      paramLabel = "X",
      defaultValue = "600",
      description = "Speed of the replay as a multiple of real time (default: ${DEFAULT-VALUE}).")
  private double speed;

  @Option(names = "--exit", description = "Stop at the end of the demo, even on a terminal.")
  private boolean exit;

  public UpCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    require(port >= 0 && port < 65_535, "--port: use 0 to 65534");
    require(queueNodes >= 1 && executors >= 1, "--queue-nodes and --executors: use at least 1");
    require(slots >= 0, "--slots: use 0 or more");
    require(speed > 0, "--speed: use a number above 0");
    require(runAs == null || !runAs.isBlank(), "--run-as: specify the name of a user");
    require(
        runAs == null || System.getProperty("user.name").equals("root"),
        "--run-as: only root can run jobs as another user; start 'millrace up' as root");
    require(demo || !exit, "--exit requires --demo");
    UpSettings settings =
        new UpSettings(
            invocation.dataDirectory(),
            port,
            queueNodes,
            executors,
            slots,
            demo,
            Optional.ofNullable(runAs));
    boolean leave = exit || invocation.json() || !invocation.terminal().outIsTerminal();
    DemoRun.DemoPlan plan = demo ? new DemoRun.DemoPlan(speed, leave) : null;
    return new UpRun(invocation, settings, plan).run();
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, message);
    }
  }

  /** One run of {@code up}: from the lock on its data directory to the clean stop. */
  private static final class UpRun {
    private final Invocation invocation;
    private final UpSettings settings;
    private final DemoRun.DemoPlan demo;
    private final Terminal terminal;
    private final HttpTransport transport = new JdkTransport();

    /** No demo when the plan is null. */
    UpRun(Invocation invocation, UpSettings settings, DemoRun.DemoPlan demo) {
      this.invocation = invocation;
      this.settings = settings;
      this.demo = demo;
      this.terminal = invocation.terminal();
    }

    /** Blocks until the stop; returns the exit code. */
    int run() throws IOException, InterruptedException {
      try (StopSignals stop = StopSignals.listen()) {
        return run(stop);
      }
    }

    private int run(StopSignals stop) throws IOException, InterruptedException {
      long began = invocation.clock().nanoTime();
      if (settings.runAs().isPresent()) {
        // On the way to the working directories of jobs.
        JobFolders.createPassable(settings.data());
      }
      try (DataDirectory data = DataDirectory.open(settings.data())) {
        Path log = ServerLogging.configure(data.path().resolve("logs"), "millrace", "WARN");
        if (settings.runAs().isPresent()) {
          // It may have existed, closed to others.
          AttemptDirectory.letUsersPass(data.path());
        }
        EmbeddedCluster cluster = new EmbeddedCluster(settings, transport, invocation.clock());
        try (RunningService running = RunningService.start(cluster, terminal)) {
          ApiClient api = client(cluster.address(), cluster.tokenFile(Role.ADMIN));
          CentralClient central = new CentralClient(api);
          new Readiness(central, settings, invocation.clock(), began, cluster::refusal)
              .await(stop::asked)
              .forEach(missing -> terminal.note("warning: the cluster runs without " + missing));
          Pointer pointer = pointer(cluster);
          write(pointer);
          try {
            new UpAnnouncement(terminal, settings, log, pointer)
                .print(LoginLink.create(api), seconds(began), form());
            return serve(stop, cluster, api);
          } finally {
            remove(pointer);
            running.announceStop();
          }
        }
      }
    }

    private int serve(StopSignals stop, EmbeddedCluster cluster, ApiClient api)
        throws InterruptedException {
      if (demo == null) {
        stop.await();
        return ExitCode.OK.code();
      }
      ApiClient balancer = client(cluster.balancerAddress(), cluster.tokenFile(Role.PRODUCER));
      try (DemoRun run = new DemoRun(invocation, settings.data(), demo, stop, api, balancer)) {
        stop.await();
        return run.exitCode();
      }
    }

    private UpAnnouncement.Form form() {
      if (demo != null && invocation.json()) {
        return UpAnnouncement.Form.MESSAGES;
      }
      return invocation.json() ? UpAnnouncement.Form.JSON : UpAnnouncement.Form.TEXT;
    }

    private ApiClient client(URI server, Path tokenFile) {
      String token = TokenFiles.read(tokenFile);
      return new ApiClient(transport, new Endpoints(List.of(server)), () -> token);
    }

    private static Pointer pointer(EmbeddedCluster cluster) {
      return new Pointer(
          cluster.address().toString(),
          cluster.tokenFile(Role.ADMIN).toString(),
          cluster.balancerAddress().toString());
    }

    private void write(Pointer pointer) throws IOException {
      PointerFile.ofData(settings.data()).write(pointer);
      PointerFile.ofUser(invocation.environment()).write(pointer);
    }

    private void remove(Pointer pointer) throws IOException {
      PointerFile.ofData(settings.data()).removeIf(pointer);
      PointerFile.ofUser(invocation.environment()).removeIf(pointer);
    }

    private double seconds(long began) {
      return (invocation.clock().nanoTime() - began) / 1e9;
    }

    /** Prints the addresses and files of a cluster that is ready. */
    private static final class UpAnnouncement {
      private static final String OWN_USER = System.getProperty("user.name");

      /** Form of the announcement. */
      enum Form {
        /** As text on stdout. */
        TEXT,
        /** As text on stderr, because stdout has other output. */
        MESSAGES,
        /** One JSON value on stdout. */
        JSON
      }

      private final Terminal terminal;
      private final UpSettings settings;
      private final Path log;
      private final Pointer pointer;

      UpAnnouncement(Terminal terminal, UpSettings settings, Path log, Pointer pointer) {
        this.terminal = terminal;
        this.settings = settings;
        this.log = log;
        this.pointer = pointer;
      }

      void print(LoginLink login, double seconds, Form form) {
        if (form == Form.JSON) {
          Map<String, String> value = new LinkedHashMap<>();
          value.put("url", pointer.url());
          value.put("dashboard", login.url());
          value.put("loadBalancer", pointer.loadBalancer());
          value.put("tokenFile", pointer.tokenFile());
          value.put("data", settings.data().toString());
          value.put("jobsRunAs", settings.runAs().orElse(OWN_USER));
          terminal.json(value);
          return;
        }
        Terminal to = form == Form.MESSAGES ? terminal.messagesOnly() : terminal;
        to.line("Millrace is up after " + Ages.took(seconds) + ".");
        to.line("  dashboard      " + login.url());
        to.line("                 (valid once; 'millrace dashboard' prints a new link)");
        to.line("  load balancer  " + pointer.loadBalancer());
        to.line("  token          " + pointer.tokenFile());
        to.line("  data           " + settings.data());
        to.line("  log            " + log);
        to.line("  jobs           " + jobs());
        to.line("Stop with Ctrl-C.");
      }

      private String jobs() {
        return settings
            .runAs()
            .map(user -> "run as " + user + " and cannot read the cluster's keys and data")
            .orElseGet(
                () ->
                    OWN_USER.equals("root")
                        ? "run as root and can read everything, the cluster's keys included;"
                            + " --run-as USER separates them"
                        : "run as " + OWN_USER + " and can read the cluster's keys and data");
      }
    }
  }

  /** The data directory of one {@code up}, locked against a second one while it is open. */
  private static final class DataDirectory implements AutoCloseable {
    private final Path path;
    private final FolderLock lock;

    private DataDirectory(Path path, FolderLock lock) {
      this.path = path;
      this.lock = lock;
    }

    /**
     * Creates it if needed, for its owner only, and locks it.
     *
     * @throws MillraceException CONFIGURATION if it is in use or cannot be created
     */
    static DataDirectory open(Path path) {
      try {
        if (!Files.isDirectory(path)) {
          Files.createDirectories(
              path,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        FolderLock lock =
            FolderLock.tryTake(path.resolve("up.lock")).orElseThrow(() -> inUse(path));
        return new DataDirectory(path, lock);
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION, "cannot use data directory %s: %s".formatted(path, e), e);
      }
    }

    private static MillraceException inUse(Path path) {
      return new MillraceException(
          ErrorCode.CONFIGURATION,
          "another 'millrace up' is running on %s; stop it, or use another --data".formatted(path));
    }

    Path path() {
      return path;
    }

    @Override
    public void close() throws IOException {
      lock.close();
    }
  }

  /** Runs the demo next to the servers on its own thread. */
  private static final class DemoRun implements AutoCloseable {
    private final Invocation invocation;
    private final DemoRun.DemoPlan plan;
    private final StopSignals stop;
    private final Demo demo;
    private final Thread thread;
    private volatile ExitCode exit = ExitCode.OK;

    DemoRun(
        Invocation invocation,
        Path data,
        DemoRun.DemoPlan plan,
        StopSignals stop,
        ApiClient central,
        ApiClient balancer) {
      this.invocation = invocation;
      this.plan = plan;
      this.stop = stop;
      this.demo =
          new Demo(
              new Demo.Settings(
                  demoFolder(), data.resolve("demo"), plan.speed(), invocation.json()),
              new CentralClient(central),
              new QueueClient(balancer),
              invocation.terminal(),
              invocation.clock());
      this.thread = Threads.daemon("demo", this::run);
      thread.start();
    }

    /** Below the home directory that the launcher passes. */
    private static Path demoFolder() {
      return Path.of(System.getProperty("millrace.home", "."))
          .resolve("jobs/demo")
          .toAbsolutePath();
    }

    private void run() {
      try {
        exit = demo.run() ? ExitCode.OK : ExitCode.FAILED;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (IOException | RuntimeException e) {
        exit = ExitCode.FAILED;
        if (!stop.asked()) {
          invocation.note("error: the demo failed: " + e.getMessage());
        }
      }
      if (plan.leave()) {
        stop.ask();
      } else if (!stop.asked()) {
        invocation.note("The cluster is still running; stop with Ctrl-C.");
      }
    }

    /** Exit code of the process; a demo that the user interrupts is not a failure. */
    int exitCode() {
      return exit.code();
    }

    @Override
    public void close() {
      thread.interrupt();
    }

    /**
     * Settings of the demo.
     *
     * @param speed as a multiple of real time
     * @param leave whether {@code up} ends with the demo
     */
    record DemoPlan(double speed, boolean leave) {}
  }
}
