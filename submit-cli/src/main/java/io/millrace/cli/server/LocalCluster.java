package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.executor.node.ExecutorNode;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.executor.run.LimitSettings;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.manager.node.Heartbeat;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.FolderLock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A central manager and an execution node in this process, for one workflow on one machine (J-09).
 * Start and close block. A temporary folder is deleted by closing; in a given folder another one
 * continues later.
 */
public final class LocalCluster implements AutoCloseable {
  private static final String NODE = "local";
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
  private static final int MAX_POLLS = 3_000;

  /**
   * The node ends with this process, and registers again in the next one, which may start slowly:
   * until then its steps must not be declared lost, because they may still run.
   */
  private static final Heartbeat HEARTBEAT =
      new Heartbeat(Duration.ofSeconds(2), Duration.ofMinutes(10));

  private final Path folder;
  private final Deque<Runnable> ends = new ArrayDeque<>();
  private CentralClient client;

  private LocalCluster(Path folder) {
    this.folder = folder;
  }

  /**
   * What is started.
   *
   * @param folder its data; empty for a temporary folder
   * @param backend where commands run
   * @param slots of the node; empty for the usual number, and one if commands run one at a time
   * @param pools that the node serves besides {@code default}
   */
  public record LocalSettings(
      Optional<Path> folder, String backend, Optional<Integer> slots, Set<String> pools) {
    private ExecutorNodeSettings node(Path data, CentralManager central) {
      ExecutorNodeSettings usual =
          ExecutorNodeSettings.of(
                  NODE,
                  data.resolve(NODE),
                  List.of(central.address()),
                  central.tokens().resolve(KeyFiles.PUBLIC))
              .withLimits(LimitSettings.defaults().withUser(Optional.empty()));
      int usualSlots = backend.equals("sequential") ? 1 : usual.slots();
      List<String> served = new ArrayList<>(usual.pools());
      pools.stream().filter(pool -> !served.contains(pool)).forEach(served::add);
      return usual.withBackend(backend, slots.orElse(usualSlots)).withPools(served);
    }
  }

  /**
   * Starts it, and waits until the node is registered.
   *
   * @throws MillraceException CONFIGURATION if the folder is in use or there is no such backend
   */
  public static LocalCluster start(LocalSettings settings, Clock clock)
      throws IOException, InterruptedException {
    LocalCluster cluster = new LocalCluster(folder(settings.folder()));
    try {
      cluster.begin(settings, clock);
      return cluster;
    } catch (RuntimeException | IOException | InterruptedException e) {
      cluster.close();
      throw e;
    }
  }

  private static Path folder(Optional<Path> given) throws IOException {
    if (given.isEmpty()) {
      return Files.createTempDirectory("millrace-run-").toRealPath();
    }
    Path folder = given.get().toAbsolutePath().normalize();
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return folder;
  }

  private void begin(LocalSettings settings, Clock clock) throws IOException, InterruptedException {
    if (settings.folder().isEmpty()) {
      ends.push(() -> delete(folder));
    }
    FolderLock lock = FolderLock.tryTake(folder.resolve("run.lock")).orElseThrow(this::inUse);
    ends.push(() -> release(lock));
    ServerLogging.configure(folder.resolve("logs"), "millrace", "ERROR");
    CentralManager central =
        new CentralManager(
            CentralSettings.defaults()
                .withDataDirectory(folder.resolve("central"))
                .withTokensDirectory(Optional.of(folder.resolve("tokens")))
                .withWeb(WebSettings.loopback(0))
                .withHeartbeat(HEARTBEAT),
            clock);
    central.start();
    ends.push(central::stop);
    HttpTransport transport = new JdkTransport();
    String token = TokenFiles.read(TokenFiles.of(central.tokens(), Role.ADMIN));
    client =
        new CentralClient(
            new ApiClient(transport, new Endpoints(List.of(central.address())), () -> token));
    ExecutorNode node =
        new ExecutorNode(
            settings.node(folder, central), EmbeddedCluster.surroundings(transport, clock));
    node.start();
    ends.push(node::stop);
    awaitRegistration(node);
  }

  private MillraceException inUse() {
    return new MillraceException(
        ErrorCode.CONFIGURATION,
        "another 'millrace workflow run' is running in %s; wait for it, or use another --folder"
            .formatted(folder));
  }

  private static void awaitRegistration(ExecutorNode node) throws InterruptedException {
    Waiter waiter = new Waiter();
    for (int polls = 0; !node.isRegistered(); polls++) {
      if (polls == MAX_POLLS) {
        throw new MillraceException(ErrorCode.TIMEOUT, "the execution node did not register");
      }
      waiter.await(POLL_INTERVAL);
    }
  }

  /** Its central manager, as an administrator. */
  public CentralClient central() {
    return client;
  }

  /** Ends what runs, and all servers. */
  @Override
  public void close() {
    // The parts see each other stop, and the console logger would write that to the standard error.
    PrintStream errors = System.err;
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    try {
      while (!ends.isEmpty()) {
        ends.pop().run();
      }
    } finally {
      System.setErr(errors);
    }
  }

  private static void release(FolderLock lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "cannot delete %s; delete it manually".formatted(folder), e);
    }
  }
}
