package io.millrace.executor.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.run.LimitSettings;
import io.millrace.platform.config.ConfigurationLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitChecksTest {
  private static final String NEEDED =
      "{name: e7, dataDirectory: data, central: [http://127.0.0.1:1], publicKeyFile: k, limits: {%s}}";

  @TempDir private Path folder;

  @Test
  void theDefaultsAreFineOnAnyMachine() {
    assertThat(check("", "millrace")).isEmpty();
    assertThat(check("", "root")).isEmpty();
  }

  @Test
  void sizesNameTheirKeyTheirValueAndWhatIsAllowed() {
    refused("logHead: 1KB", "limits (line 1): logHead must be at least 4KB, not 1KB");
    refused(
        "logTail: -1MB",
        "limits.logTail (line 1): '-1MB' is not a size; write for instance 512, 64KB");
  }

  @Test
  void aFolderOfSecretsThatIsConfiguredExists() throws IOException {
    refused("secretsDirectory: here", folder.resolve("here") + "' is not a folder; create it");
    Files.createFile(folder.resolve("here"));
    refused("secretsDirectory: here", "limits.secretsDirectory");
    made(Files.createDirectory(folder.resolve("there")), "rwx------");
    assertThat(check("secretsDirectory: there", "root")).isEmpty();
  }

  @Test
  void secretsThatOthersCanOpenAreNamedWithTheCommandThatClosesThem() throws IOException {
    Path secrets = Files.createDirectories(folder.resolve("data/secrets"));
    made(secrets, "rwxr-xr-x");
    Path open = made(Files.createFile(secrets.resolve("password")), "rw-r-----");
    made(Files.createFile(secrets.resolve("closed")), "rw-------");
    Path queue = made(Files.createDirectories(secrets.resolve("queues/alert")), "rwxrwx---");
    made(queue.getParent(), "rwx------");
    Path inQueue = made(Files.createFile(queue.resolve("password")), "rw----r--");

    assertThat(check("", "millrace"))
        .hasSize(4)
        .anyMatch(one -> one.endsWith("run 'chmod 700 " + secrets + "'"))
        .anyMatch(one -> one.endsWith("run 'chmod 700 " + queue + "'"))
        .anyMatch(one -> one.endsWith("run 'chmod 600 " + open + "'"))
        .anyMatch(one -> one.endsWith("run 'chmod 600 " + inQueue + "'"));
  }

  @Test
  void aControlGroupIsAFolderOfTheTree() throws IOException {
    refused("controlGroup: group", folder.resolve("group") + "' is not a folder of the cgroup v2");
    Files.createDirectory(folder.resolve("group"));
    refused("controlGroup: group", "limits.controlGroup");
    Files.createFile(folder.resolve("group/cgroup.controllers"));
    assertThat(check("controlGroup: group", "root")).isEmpty();
  }

  @Test
  void usersExistAndCanBeUsed() {
    refused("defaultUser: nobody-of-this-name", "there is no user 'nobody-of-this-name'");
    refused("defaultUser: root", "limits.allowRoot: true");
    refused("runAsUsers: [daemon, root]", "limits.runAsUsers: 'root' is not allowed");
    refused("runAsUsers: ['two words']", "limits.runAsUsers: 'two words' is not a user name");
    assertThat(check("defaultUser: daemon, runAsUsers: [nobody]", "root")).isEmpty();

    assertThatThrownBy(() -> check("defaultUser: daemon", "millrace"))
        .hasMessageContaining("limits.defaultUser: this node runs as 'millrace'");
    assertThat(check("runAsUsers: [alice, millrace, bob]", "millrace"))
        .singleElement()
        .asString()
        .startsWith("limits.runAsUsers (alice, bob) has no effect");
  }

  private List<String> check(String limits, String agent) {
    LimitSettings settings =
        new ConfigurationLoader()
            .parse(
                NEEDED.formatted(limits),
                folder.resolve("execution-node.yaml"),
                ExecutorNodeSettings.class)
            .limits();
    Path secrets = settings.secretsDirectory().orElse(folder.resolve("data/secrets"));
    return new LimitChecks(settings, secrets, agent).require();
  }

  private void refused(String limits, String words) {
    assertThatThrownBy(() -> check(limits, "root"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFIGURATION))
        .hasMessageContaining(words);
  }

  private static Path made(Path path, String permissions) throws IOException {
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }
}
