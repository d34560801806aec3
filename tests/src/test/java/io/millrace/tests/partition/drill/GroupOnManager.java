package io.millrace.tests.partition.drill;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** A central manager in this process, and a group whose agents reach it over HTTP. */
final class GroupOnManager implements AutoCloseable {
  static final List<String> RESOURCES =
      IntStream.range(0, 10_000).mapToObj(number -> "host-" + number).toList();

  private final RandomGenerator random;
  private final CentralManager manager;
  private final Database database;
  private final AgentGroup group;
  private int born;

  GroupOnManager(DatabaseSettings settings, Path folder, RandomGenerator random) throws Exception {
    this.random = random;
    manager =
        new CentralManager(
            CentralSettings.defaults()
                .withDataDirectory(folder)
                .withWeb(WebSettings.loopback(0))
                .withDatabase(settings),
            new SystemClock());
    manager.start();
    database = Database.open(settings, List.of("platform", "central"));
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), Role.OPERATOR));
    CentralClient central =
        new CentralClient(
            new ApiClient(
                new JdkTransport(), new Endpoints(List.of(manager.address())), () -> token));
    group = new AgentGroup("drill", central, RESOURCES, this::nextDay);
  }

  private void nextDay() {
    String yesterday = database.dialect().nowPlusMicros("-86400000000");
    database.transaction(
        handle -> handle.execute("update partition_cycle set began_at = " + yesterday));
  }

  AgentGroup group() {
    return group;
  }

  /** A client for another agent. */
  String name() {
    born++;
    return "agent-" + random.nextInt(1_000_000) + "-" + born;
  }

  @Override
  public void close() {
    group.close();
    database.close();
    manager.stop();
  }
}
