package io.millrace.bench.process;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.UrlTransport;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.queue.QueueWeights;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A central manager in this process and other roles as separate processes, with one temporary
 * directory. Closing it stops them and deletes the directory.
 */
public final class BenchServers implements AutoCloseable {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final int MAX_POLLS = 300;

  private final ScratchFolder scratch;
  private final CentralManager central;
  private final CentralClient client;
  private final String token;
  private final List<RoleProcess> processes = new ArrayList<>();

  /**
   * Starts the central manager.
   *
   * @param parent of the directory; null for the system's temporary directory
   */
  public BenchServers(Path parent, Clock clock) throws IOException {
    this.scratch = ScratchFolder.below(parent);
    Path folder = scratch.path();
    ServerLogging.configure(folder.resolve("logs"), "bench", "ERROR");
    this.central =
        new CentralManager(
            CentralSettings.defaults().at(folder.resolve("central"), WebSettings.defaults()),
            clock);
    central.start();
    this.token = TokenFiles.read(TokenFiles.of(central.tokens(), Role.ADMIN));
    this.client =
        new CentralClient(
            new ApiClient(
                new UrlTransport(), new Endpoints(List.of(central.address())), () -> token));
  }

  /** The directory of all files. */
  public Path folder() {
    return scratch.path();
  }

  public String token() {
    return token;
  }

  public CentralClient central() {
    return client;
  }

  public void apply(String yaml) {
    client.apply(new ApplyRequest(List.of(new SourceFile("bench.yaml", yaml)), false));
  }

  /**
   * Starts a role and waits until it is ready; again with the same name, it goes on with the files
   * of the process before, which must have ended.
   *
   * @param verb command of the role, such as {@code queue-node}
   * @param more settings in addition to name, directory, central managers and key files
   */
  public RoleProcess start(String verb, String name, String heap, Map<String, Object> more)
      throws IOException, InterruptedException {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("name", name);
    Path folder = scratch.path();
    settings.put("dataDirectory", folder.resolve(name).toString());
    settings.put("central", List.of(central.address().toString()));
    settings.put("publicKeyFile", central.tokens().resolve(KeyFiles.PUBLIC).toString());
    settings.putAll(more);
    // JSON is valid YAML.
    Path config = Files.writeString(folder.resolve(name + ".yaml"), Json.write(settings));
    RoleProcess process = RoleProcess.start(verb, config, folder.resolve(name + ".out"), heap);
    processes.add(process);
    return process;
  }

  /** Blocks until this many segments of a queue have weight. */
  public void awaitSegments(String queue, int segments) throws InterruptedException {
    Waiter waiter = new Waiter();
    for (int polls = 0; polls < MAX_POLLS; polls++) {
      if (client.queue(queue).segments().stream().filter(one -> one.weight() > 0).count()
          == segments) {
        return;
      }
      waiter.await(POLL_INTERVAL);
    }
    throw new MillraceException(
        ErrorCode.TIMEOUT,
        "the nodes did not get their share of the %d points".formatted(QueueWeights.TOTAL));
  }

  @Override
  public void close() {
    processes.forEach(RoleProcess::close);
    central.stop();
    scratch.close();
  }
}
