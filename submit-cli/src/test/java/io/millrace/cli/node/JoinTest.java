package io.millrace.cli.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.executor.run.UserLookup;
import io.millrace.loadbalancer.node.LoadBalancerSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.queuenode.node.QueueNodeSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinTest {
  private static final boolean ROOT = System.getProperty("user.name").equals("root");
  private static final URI CENTRAL = URI.create("http://127.0.0.1:7700");

  @TempDir private Path folder;
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run =
      new CommandRun(cluster).with("MILLRACE_HOME", "/opt/millrace").without("MILLRACE_URL");

  @Test
  void filesOfAnExecutionNodeAreReadableByTheirOwnerOnly() throws IOException {
    answering("execution-node", "e3");
    assertThat(join("execution-node", "e3", "--port", "7733")).as(run.messages()).isZero();

    assertThat(cluster.asked()).containsExactly("POST /v1/join");
    assertThat(new String(cluster.last().body(), UTF_8)).startsWith("{\"name\":\"e3\",\"key\":\"");
    assertThat(Json.read(cluster.last().body(), JoinRequest.class).role())
        .isEqualTo("execution-node");
    assertThat(cluster.last().headers()).containsEntry("Authorization", "Bearer one-use");
    Path data = folder.resolve("data");
    for (String file : List.of("node.identity", "cluster.pub", "execution-node.yaml")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve(file))))
          .as(file)
          .isEqualTo("rw-------");
    }
    assertThat(data.resolve("node.identity")).content().contains("its-own", "\"key\":\"");
    assertThat(data.resolve("cluster.pub")).hasContent("the key");
    assertThat(run.output())
        .isEqualTo(
            "/opt/millrace/bin/millrace executor-node --config "
                + data.resolve("execution-node.yaml")
                + "\n");
    assertThat(run.output() + run.messages()).doesNotContain("its-own", "one-use");
  }

  @Test
  void theWrittenConfigurationIsValidForItsRole() {
    answering("execution-node", "e3");
    join("execution-node", "e3", "--port", "7733");
    ExecutorNodeSettings settings =
        new ConfigurationLoader()
            .load(folder.resolve("data/execution-node.yaml"), ExecutorNodeSettings.class);
    assertThat(settings.name()).isEqualTo("e3");
    assertThat(settings.central()).containsExactly(CENTRAL);
    assertThat(settings.web().host()).isEqualTo("127.0.0.1");
    assertThat(settings.web().port()).isEqualTo(7733);
    assertThat(settings.identityFile()).contains(folder.resolve("data/node.identity"));
    assertThat(settings.publicKeyFile()).isEqualTo(folder.resolve("data/cluster.pub"));
    assertThat(settings.dataDirectory()).isEqualTo(folder.resolve("data/data"));
  }

  @Test
  void queueNodesAndLoadBalancersAreConfiguredWithoutAListOfMembers() {
    answering("queue-node", "on");
    join("queue-node", "on");
    QueueNodeSettings queueNode =
        new ConfigurationLoader()
            .load(folder.resolve("data/queue-node.yaml"), QueueNodeSettings.class);
    assertThat(queueNode.name()).isEqualTo("on");
    assertThat(queueNode.membership().members()).isEmpty();

    answering("load-balancer", "b2");
    run.run(
        "join",
        "127.0.0.1:7700",
        "--role",
        "load-balancer",
        "--token-file",
        token(),
        "--name",
        "b2",
        "--data",
        folder.resolve("b2").toString());
    LoadBalancerSettings balancer =
        new ConfigurationLoader()
            .load(folder.resolve("b2/load-balancer.yaml"), LoadBalancerSettings.class);
    assertThat(balancer.web().port()).isEqualTo(7701);
  }

  @Test
  void aJoinedMachineKeepsItsFilesAndUsesUpNoToken() {
    answering("execution-node", "e3");
    join("execution-node", "e3");
    CommandRun again = new CommandRun(cluster);
    assertThat(again.run(arguments("execution-node", "e3"))).isEqualTo(2);
    assertThat(again.messages()).contains("--data").contains("has joined");
    assertThat(cluster.asked()).hasSize(1);
  }

  @Test
  void aDirectoryOfAnEarlierVersionKeepsItsDataItsIdAndTheFormerConfiguration() throws IOException {
    UUID before = UUID.randomUUID();
    Path data = folder.resolve("data");
    Files.createDirectories(data.resolve("data"));
    Files.writeString(data.resolve("data/node-id"), before + "\n");
    Files.writeString(data.resolve("execution-node.yaml"), "tokenFile: node.token\n");
    answering("execution-node", "e3");

    assertThat(join("execution-node", "e3")).as(run.messages()).isZero();

    assertThat(Json.read(cluster.last().body(), JoinRequest.class).id()).isEqualTo(before);
    assertThat(data.resolve("data/node-id")).hasContent(before.toString());
    assertThat(data.resolve("execution-node.yaml.old1")).hasContent("tokenFile: node.token");
    assertThat(run.messages()).contains(data.resolve("execution-node.yaml.old1").toString());
    assertThat(data.resolve("execution-node.yaml")).content().contains("identityFile:");
  }

  @Test
  void aDataDirectoryWithoutAFolderAroundItIsUsedWhereItIs() throws IOException {
    UUID before = UUID.randomUUID();
    Path data = Files.createDirectories(folder.resolve("data"));
    Files.writeString(data.resolve("node-id"), before + "\n");
    answering("queue-node", "q3");

    assertThat(join("queue-node", "q3")).as(run.messages()).isZero();

    assertThat(Json.read(cluster.last().body(), JoinRequest.class).id()).isEqualTo(before);
    QueueNodeSettings settings =
        new ConfigurationLoader().load(data.resolve("queue-node.yaml"), QueueNodeSettings.class);
    assertThat(settings.dataDirectory()).isEqualTo(data);

    // After a withdrawal: with the two files deleted, it is the same directory with a new ID.
    Files.delete(data.resolve("node-id"));
    Files.delete(data.resolve("node.identity"));
    Files.writeString(data.resolve("incarnation"), "1\n");
    assertThat(join("queue-node", "q3")).as(run.messages()).isZero();
    assertThat(Json.read(cluster.last().body(), JoinRequest.class).id()).isNull();
    assertThat(data.resolve("queue-node.yaml")).content().contains("dataDirectory: .");
  }

  @Test
  void aRequestWhoseAnswerWasLostIsRepeatedWithTheSameKey() throws IOException {
    cluster.refusing("POST /v1/join", ErrorCode.TIMEOUT, "no answer");
    assertThat(join("execution-node", "e3")).isNotZero();
    String first = Json.read(cluster.last().body(), JoinRequest.class).key();
    Path kept = folder.resolve("data/joining.key");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
        .isEqualTo("rw-------");

    // A wrong token in between does not lose the key.
    cluster.refusing("POST /v1/join", ErrorCode.UNAUTHENTICATED, "unknown token");
    join("execution-node", "e3");
    answering("execution-node", "e3");
    assertThat(join("execution-node", "e3")).as(run.messages()).isZero();

    assertThat(Json.read(cluster.last().body(), JoinRequest.class).key()).isEqualTo(first);
    assertThat(kept).doesNotExist();
    assertThat(folder.resolve("data/node.identity")).exists();
  }

  @Test
  void refusedTokenLeavesNoFiles() throws IOException {
    cluster.refusing("POST /v1/join", ErrorCode.UNAUTHENTICATED, "not a token");
    assertThat(join("execution-node", "e3")).isEqualTo(4);
    assertThat(run.messages())
        .contains("the token in " + folder.resolve("join.token"))
        .contains("millrace token join --role execution-node");
    try (var files = Files.list(folder.resolve("data"))) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void anUnreachableCentralManagerIsNamedWithWhatToCheck() {
    cluster.goDown();
    assertThat(join("execution-node", "e3")).isEqualTo(5);
    assertThat(run.messages())
        .contains("no central manager answers at")
        .contains("web.allowRemote");
  }

  @Test
  void aTokenOfAnotherRoleIsAConflictWithASolution() {
    answering("queue-node", "e3");
    assertThat(join("execution-node", "e3")).isEqualTo(6);
    assertThat(run.messages()).contains("millrace token join --role execution-node");
    assertThat(folder.resolve("data/node.identity")).doesNotExist();
  }

  @Test
  void jsonContainsTheStartCommand() {
    answering("execution-node", "e3");
    join("execution-node", "e3", "--json");
    assertThat(run.output())
        .startsWith("{\"role\":\"execution-node\",\"name\":\"e3\"")
        .contains("\"command\":[\"/opt/millrace/bin/millrace\",\"executor-node\",\"--config\"");
  }

  @Test
  void aNodeThatRunsJobsAsAnotherUserIsReadyForThat() throws IOException {
    assumeTrue(ROOT, "only root can run jobs as another user");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    answering("execution-node", "e3");
    assertThat(join("execution-node", "e3", "--run-as", "nobody")).as(run.messages()).isZero();

    assertThat(run.messages()).contains("its jobs run as nobody and cannot read its keys and data");
    ExecutorNodeSettings settings =
        new ConfigurationLoader()
            .load(folder.resolve("data/execution-node.yaml"), ExecutorNodeSettings.class);
    assertThat(settings.limits().defaultUser()).hasValue("nobody");
    for (String path : List.of("data", "data/data")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(path))))
          .as(path)
          .isEqualTo("rwx--x--x");
    }
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("data/node.identity"))))
        .isEqualTo("rw-------");
    // As at the start of the node.
    new UserLookup(settings.limits(), new SystemClock())
        .prepare(settings.dataDirectory(), settings.dataDirectory().resolve("attempts"));
  }

  @Test
  void aUserWhoseJobsCouldNotRunIsRefusedBeforeTheTokenIsUsedUp() throws IOException {
    assertThat(join("queue-node", "q3", "--run-as", "nobody")).isEqualTo(2);
    assertThat(run.messages()).contains("--run-as: only applicable to execution nodes");
    if (ROOT) {
      assertThat(join("execution-node", "e3", "--run-as", "no-such-user")).isNotZero();
      assertThat(run.messages()).contains("no such user");
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
      assertThat(join("execution-node", "e3", "--run-as", "nobody")).isNotZero();
      assertThat(run.messages()).contains("cannot enter " + folder).contains("chmod o+x");
    } else {
      assertThat(join("execution-node", "e3", "--run-as", "nobody")).isEqualTo(2);
      assertThat(run.messages()).contains("only root can run jobs as another user");
    }
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void anExecutionNodeOfRootHasItsFilesWhereTheUsersOfJobsCanPassAlsoWithoutRunAs() {
    Path home = Path.of("/home/someone/.millrace");
    Path forAll = Path.of("/var/lib/millrace");

    assertThat(users(JoinRole.EXECUTION_NODE, "root").folder(home)).isEqualTo(forAll);
    assertThat(users(JoinRole.EXECUTION_NODE, "ann").folder(home)).isEqualTo(home);
    assertThat(users(JoinRole.QUEUE_NODE, "root").folder(home)).isEqualTo(home);
  }

  private static JoinedUsers users(JoinRole role, String user) {
    return new JoinedUsers(role, user, Optional.empty());
  }

  @Test
  void theConfigurationOfANodeThatRootStartsExplainsTheUsersOfJobs() throws IOException {
    JoinedUsers root = new JoinedUsers(JoinRole.EXECUTION_NODE, "root", Optional.empty());
    assertThat(root.description().orElseThrow())
        .startsWith("started as root, it takes no jobs until 'limits' in its configuration");
    assertThat(root.defaultUser()).isEmpty();
    Path file = folder.resolve("uncommented.yaml");
    String uncommented =
        root.limits().lines().skip(1).map(line -> line.substring(2)).collect(joining("\n"));
    Files.writeString(
        file, "name: e3\ndataDirectory: d\ncentral: [http://h]\npublicKeyFile: k\n" + uncommented);
    ExecutorNodeSettings settings =
        new ConfigurationLoader().load(file, ExecutorNodeSettings.class);
    assertThat(settings.limits().defaultUser()).hasValue("millrace-jobs");
    assertThat(settings.limits().runAsUsers()).containsExactly("reports");

    JoinedUsers ann = new JoinedUsers(JoinRole.EXECUTION_NODE, "ann", Optional.empty());
    assertThat(ann.limits()).isEmpty();
    assertThat(ann.description().orElseThrow())
        .isEqualTo(
            "its jobs run as ann and can read its keys and data; root can separate them with"
                + " --run-as USER");
    assertThat(new JoinedUsers(JoinRole.QUEUE_NODE, "root", Optional.empty()).description())
        .isEmpty();
  }

  @Test
  void startRunsTheLauncherAndExitsWithItsExitCode() throws IOException {
    Path launcher = folder.resolve("bin/millrace");
    Files.createDirectories(launcher.getParent());
    Files.writeString(launcher, "#!/bin/sh\necho \"$@\" > " + folder + "/started\nexit 9\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    answering("execution-node", "e3");
    run.with("MILLRACE_HOME", folder.toString());
    assertThat(join("execution-node", "e3", "--start")).isEqualTo(9);
    assertThat(folder.resolve("started"))
        .hasContent("executor-node --config " + folder.resolve("data/execution-node.yaml"));
  }

  @Test
  void oneTimeTokenIsPrintedOrWrittenForItsOwnerOnly() throws IOException {
    cluster.answering(
        "POST /v1/join-tokens",
        new JoinToken("one-use", "queue-node", CommandRun.NOW.plusSeconds(600)));
    CommandRun operator = new CommandRun(cluster);
    assertThat(operator.run("token", "join", "--role", "queue-node", "--for", "10m")).isZero();
    assertThat(Json.read(cluster.last().body(), JoinTokenRequest.class))
        .isEqualTo(new JoinTokenRequest("queue-node", Duration.ofMinutes(10)));
    assertThat(operator.output()).isEqualTo("one-use\n");

    Path file = folder.resolve("q3.token");
    CommandRun filed = new CommandRun(cluster);
    assertThat(filed.run("token", "join", "--role", "queue-node", "--out", file.toString()))
        .isZero();
    assertThat(filed.output()).isEqualTo(file + "\n");
    assertThat(file).hasContent("one-use");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  private int join(String role, String name, String... more) {
    return run.run(arguments(role, name, more));
  }

  private String[] arguments(String role, String name, String... more) {
    List<String> arguments = new java.util.ArrayList<>();
    arguments.addAll(List.of("join", "127.0.0.1:7700", "--role", role, "--name", name));
    arguments.addAll(List.of("--token-file", token()));
    arguments.addAll(List.of("--data", folder.resolve("data").toString()));
    arguments.addAll(List.of(more));
    return arguments.toArray(String[]::new);
  }

  private String token() {
    try {
      return Files.writeString(folder.resolve("join.token"), "one-use\n").toString();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void answering(String role, String name) {
    cluster.answering(
        "POST /v1/join", new JoinAnswer(role, name, "its-own", "the key", List.of(CENTRAL)));
  }
}
