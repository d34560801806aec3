package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.BuiltinProgram;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.job.AttemptId;
import io.millrace.bench.process.RoleProcess;
import io.millrace.executor.node.ExecutorNode;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * Central managers on one database: a single one in this process, as in {@code up}; several as
 * separate processes. Closing it stops them.
 */
final class CentralManagers implements AutoCloseable {
  private static final String HEAP = "512m";

  private final Path folder;
  private final DatabaseSettings database;
  private final List<URI> addresses = new ArrayList<>();
  private final Deque<Runnable> ends = new ArrayDeque<>();

  private CentralManagers(Path folder, DatabaseSettings database) {
    this.folder = folder;
    this.database = database;
  }

  /** Starts them and waits until all are ready. */
  static CentralManagers start(Path folder, DatabaseSettings database, int count, Clock clock)
      throws IOException, InterruptedException {
    CentralManagers managers = new CentralManagers(folder, database);
    try {
      for (int number = 1; number <= count; number++) {
        Path config = managers.configure("c" + number);
        managers.addresses.add(
            count == 1 ? managers.embed(config, clock) : managers.spawn(config, number));
      }
      return managers;
    } catch (RuntimeException | IOException | InterruptedException e) {
      managers.close();
      throw e;
    }
  }

  private Path configure(String name) throws IOException {
    Map<String, Object> settings =
        Map.of(
            "name", name,
            "dataDirectory", folder.resolve(name).toString(),
            "tokensDirectory", tokens().toString(),
            "web", Map.of("host", "127.0.0.1", "port", 0),
            "database",
                Map.of(
                    "url", database.url(),
                    "user", database.user(),
                    "password", database.password()));
    // JSON is valid YAML.
    return Files.writeString(folder.resolve(name + ".yaml"), Json.write(settings));
  }

  private URI embed(Path config, Clock clock) {
    CentralManager manager =
        new CentralManager(new ConfigurationLoader().load(config, CentralSettings.class), clock);
    manager.start();
    ends.push(manager::stop);
    return manager.address();
  }

  private URI spawn(Path config, int number) throws IOException, InterruptedException {
    RoleProcess process =
        RoleProcess.start("manager", config, folder.resolve("c" + number + ".out"), HEAP);
    ends.push(process::close);
    return process.address();
  }

  /** A client that calls this one first. */
  CentralClient client(int number) {
    return new CentralClient(api(number));
  }

  /** Calls this one first. */
  ApiClient api(int number) {
    String token = TokenFiles.read(TokenFiles.of(tokens(), Role.ADMIN));
    return new ApiClient(new UrlTransport(), new Endpoints(addresses(number)), () -> token);
  }

  /** All addresses, starting with this one. */
  List<URI> addresses(int number) {
    List<URI> rotated = new ArrayList<>(addresses);
    Collections.rotate(rotated, -number);
    return rotated;
  }

  int size() {
    return addresses.size();
  }

  Path publicKey() {
    return tokens().resolve(KeyFiles.PUBLIC);
  }

  private Path tokens() {
    return folder.resolve("tokens");
  }

  @Override
  public void close() {
    while (!ends.isEmpty()) {
      ends.pop().run();
    }
  }

  /**
   * Execution nodes in this process, each with another preferred central manager. Closing it stops
   * them.
   */
  static final class EmbeddedExecutionNodes implements AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final int MAX_POLLS = 1_500;

    private final Path folder;
    private final List<BuiltinProgram> programs;
    private final List<String> names = new ArrayList<>();
    private final List<ExecutorNode> nodes = new ArrayList<>();

    private EmbeddedExecutionNodes(Path folder, List<BuiltinProgram> programs) {
      this.folder = folder;
      this.programs = programs;
    }

    /** Starts them and waits until they are registered. */
    static EmbeddedExecutionNodes start(
        Path folder, CentralManagers managers, int count, int slots, List<BuiltinProgram> programs)
        throws IOException, InterruptedException {
      EmbeddedExecutionNodes all = new EmbeddedExecutionNodes(folder, programs);
      try {
        for (int number = 0; number < count; number++) {
          all.start("e" + (number + 1), managers, number, slots);
        }
        all.awaitRegistration();
        return all;
      } catch (RuntimeException | IOException | InterruptedException e) {
        all.close();
        throw e;
      }
    }

    private void start(String name, CentralManagers managers, int number, int slots)
        throws IOException {
      Map<String, Object> settings =
          Map.of(
              "name", name,
              "dataDirectory", data(name).toString(),
              "central",
                  managers.addresses(number % managers.size()).stream()
                      .map(Object::toString)
                      .toList(),
              "publicKeyFile", managers.publicKey().toString(),
              "slots", slots,
              "limits", Map.of("allowRoot", true));
      Path config = Files.writeString(folder.resolve(name + ".yaml"), Json.write(settings));
      ExecutorNode node =
          new ExecutorNode(
              new ConfigurationLoader().load(config, ExecutorNodeSettings.class), surroundings());
      node.start();
      nodes.add(node);
      names.add(name);
    }

    private ExecutorNode.Surroundings surroundings() {
      ExecutorNode.Surroundings own = ExecutorNode.Surroundings.ofThisProcess();
      List<BuiltinProgram> all = new ArrayList<>(own.programs());
      all.addAll(programs);
      return new ExecutorNode.Surroundings(own.transport(), own.clock(), own.environment(), all);
    }

    private void awaitRegistration() throws InterruptedException {
      Waiter waiter = new Waiter();
      for (int polls = 0; !nodes.stream().allMatch(ExecutorNode::isRegistered); polls++) {
        if (polls == MAX_POLLS) {
          throw new MillraceException(ErrorCode.TIMEOUT, "the execution nodes did not register");
        }
        waiter.await(POLL_INTERVAL);
      }
    }

    List<String> names() {
      return List.copyOf(names);
    }

    /** The files of an attempt on one of the nodes. */
    AttemptDirectory files(String node, AttemptId attempt) {
      return new AttemptDirectory(data(node).resolve("attempts"), attempt);
    }

    private Path data(String name) {
      return folder.resolve(name);
    }

    @Override
    public void close() {
      nodes.forEach(ExecutorNode::stop);
    }
  }
}
