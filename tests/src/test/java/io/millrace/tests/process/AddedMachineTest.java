package io.millrace.tests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.process.Distribution.Ended;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Adds a machine of each role with the launcher's commands alone, as docs/operations.md says. */
@Tag("drill")
class AddedMachineTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Pattern ADDRESS = Pattern.compile("http://[^/\\s]+");

  @TempDir Path folder;
  private Distribution distribution;
  private final Ports ports = new Ports(new SecureRandom());
  private final List<ServerProcess> servers = new ArrayList<>();

  @BeforeEach
  void up() throws Exception {
    Distribution.assumeBuilt();
    distribution = Distribution.copied(folder);
    start("up", "up", "--port", "0", "--data", folder.resolve("up").toString());
  }

  @AfterEach
  void end() throws InterruptedException {
    for (ServerProcess server : servers) {
      server.end();
    }
  }

  @Test
  void machinesOfEachRoleJoinWithATokenAndAreActive() throws Exception {
    Matcher link = ADDRESS.matcher(said("dashboard"));
    assertThat(link.find()).isTrue();
    join(link.group(), "queue-node", "queue-node", "q9");
    join(link.group(), "execution-node", "executor-node", "e9");
    join(link.group(), "load-balancer", "load-balancer", "lb9");

    await("both nodes are active")
        .atMost(LONG)
        .until(
            () ->
                said("node", "list")
                        .lines()
                        .filter(line -> line.matches("[qe]9 .* active .*"))
                        .count()
                    == 2);
    assertThat(said("identity", "list")).contains("q9", "e9", "lb9");
  }

  private void join(String central, String role, String verb, String name) throws Exception {
    Path token = folder.resolve(name + ".token");
    said("token", "join", "--role", role, "--name", name, "--out", token.toString());
    Path data = folder.resolve(name);
    said(
        "join",
        central,
        "--role",
        role,
        "--name",
        name,
        "--port",
        Integer.toString(ports.free()),
        "--token-file",
        token.toString(),
        "--data",
        data.toString());
    start(name, verb, "--config", data.resolve(role + ".yaml").toString());
  }

  private void start(String name, String... arguments) throws Exception {
    ServerProcess server = distribution.start(name, arguments);
    servers.add(0, server);
    assertThat(server.firstLine()).isNotEmpty();
  }

  private String said(String... arguments) throws Exception {
    Ended ended = distribution.run(arguments);
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    return ended.out();
  }
}
