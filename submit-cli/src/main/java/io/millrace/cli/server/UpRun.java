package io.millrace.cli.server;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport;
import io.millrace.cli.connection.LoginLink;
import io.millrace.cli.connection.Pointer;
import io.millrace.cli.connection.PointerFile;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** One life of {@code up}: from the lock on its data directory to the clean stop. */
final class UpRun {
  private final Invocation invocation;
  private final UpSettings settings;
  private final DemoPlan demo;
  private final Terminal terminal;
  private final HttpTransport transport = new JdkTransport();

  /** No demo when the plan is null. */
  UpRun(Invocation invocation, UpSettings settings, DemoPlan demo) {
    this.invocation = invocation;
    this.settings = settings;
    this.demo = demo;
    this.terminal = invocation.terminal();
  }

  /** Blocks until the stop; gives the exit code. */
  int run() throws IOException, InterruptedException {
    try (StopSignals stop = StopSignals.listen()) {
      return run(stop);
    }
  }

  private int run(StopSignals stop) throws IOException, InterruptedException {
    long began = invocation.clock().nanoTime();
    try (DataDirectory data = DataDirectory.open(settings.data())) {
      Path log = ServerLogging.configure(data.path().resolve("logs"), "millrace", "WARN");
      EmbeddedCluster cluster = new EmbeddedCluster(settings, transport, invocation.clock());
      try (RunningService running = RunningService.start(cluster, terminal)) {
        ApiClient api = client(cluster.address(), cluster.tokenFile(Role.ADMIN));
        new Readiness(new CentralClient(api), settings, invocation.clock(), began)
            .await(stop::asked);
        Pointer pointer = pointer(cluster);
        write(pointer);
        try {
          new UpAnnouncement(terminal, data.path(), log, pointer)
              .print(LoginLink.create(api), seconds(began), words());
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

  private UpAnnouncement.Form words() {
    if (demo != null && invocation.json()) {
      return UpAnnouncement.Form.MESSAGES;
    }
    return invocation.json() ? UpAnnouncement.Form.JSON : UpAnnouncement.Form.WORDS;
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
}
