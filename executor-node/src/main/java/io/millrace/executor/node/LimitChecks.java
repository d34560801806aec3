package io.millrace.executor.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.run.LimitSettings;
import io.millrace.platform.identity.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Compares the limits of an execution node with its machine, once at its start. Messages name the
 * key, its value and what is allowed. Blocks on the disk and on the lookup of users.
 *
 * @param limits as configured
 * @param secrets the folder of the secrets, configured or not
 * @param agent name of the user that runs the agent
 */
record LimitChecks(LimitSettings limits, Path secrets, String agent) {
  private static final String ROOT = "root";
  // Enough to correct them; the rest is found at the next start, or by the job that names one.
  private static final int MAX_SHOWN = 20;
  private static final int MAX_EXAMINED = 10_000;
  private static final int DEPTH = 3;

  /**
   * Checks the limits.
   *
   * @return what jobs will fail of, or others can read; to be logged
   * @throws MillraceException CONFIGURATION if a value cannot be used
   */
  List<String> require() {
    limits.secretsDirectory().ifPresent(LimitChecks::requireSecrets);
    limits.controlGroup().ifPresent(LimitChecks::requireControlGroup);
    limits.defaultUser().ifPresent(this::requireDefault);
    limits.runAsUsers().forEach(LimitChecks::requireName);
    List<String> warnings = new ArrayList<>(accessible());
    List<String> others = limits.runAsUsers().stream().filter(one -> !one.equals(agent)).toList();
    if (!agent.equals(ROOT) && !others.isEmpty()) {
      warnings.add(
          "limits.runAsUsers (%s) has no effect: this node runs as '%s', and only root can become another user; jobs that name one of them fail here. Start the node as root, or remove the key"
              .formatted(String.join(", ", others), agent));
    }
    return warnings;
  }

  private static void requireSecrets(Path folder) {
    require(
        Files.isDirectory(folder),
        "limits.secretsDirectory: '%1$s' is not a folder; create it with 'mkdir -m 700 %1$s', or remove the key to use the folder secrets in the data directory"
            .formatted(folder));
  }

  private static void requireControlGroup(Path folder) {
    require(
        Files.isRegularFile(folder.resolve("cgroup.controllers")),
        "limits.controlGroup: '%s' is not a folder of the cgroup v2 tree, such as /sys/fs/cgroup/millrace; create it and give it to the user of this node, or remove the key to use the group of the systemd unit"
            .formatted(folder));
  }

  private void requireDefault(String name) {
    require(
        !name.equals(ROOT),
        "limits.defaultUser: 'root' is not allowed; name another user, or set limits.allowRoot: true if jobs that name no user are to run as root");
    require(
        agent.equals(ROOT) || agent.equals(name),
        "limits.defaultUser: this node runs as '%s' and cannot run jobs as '%s', because only root can become another user; start it as root, or remove the key"
            .formatted(agent, name));
    require(
        exists(name),
        "limits.defaultUser: there is no user '%1$s' on this machine; create it ('useradd --system %1$s'), or name another one"
            .formatted(name));
  }

  private static void requireName(String name) {
    require(
        !name.equals(ROOT),
        "limits.runAsUsers: 'root' is not allowed, because no job can name root; list other users");
    require(
        name.matches("[A-Za-z_][A-Za-z0-9_.-]*\\$?"),
        "limits.runAsUsers: '%s' is not a user name; list names as in /etc/passwd".formatted(name));
  }

  private static boolean exists(String user) {
    try {
      return Path.of("/")
              .getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName(user)
          != null;
    } catch (IOException e) {
      return false;
    }
  }

  private static void require(boolean allowed, String message) {
    if (!allowed) {
      throw new MillraceException(ErrorCode.CONFIGURATION, message);
    }
  }

  /** The folder and what is in it, as far as others than its owner have access. */
  private List<String> accessible() {
    if (!Files.isDirectory(secrets)) {
      return List.of();
    }
    try (Stream<Path> found = Files.walk(secrets, DEPTH)) {
      return found
          .limit(MAX_EXAMINED)
          .filter(path -> !Files.isSymbolicLink(path) && !PrivateFiles.isPrivate(path))
          .limit(MAX_SHOWN)
          .map(LimitChecks::accessible)
          .toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of("the secrets in %s cannot be checked: %s".formatted(secrets, e));
    }
  }

  private static String accessible(Path path) {
    return Files.isDirectory(path)
        ? "other users can open %1$s, which contains the secrets of jobs; run 'chmod 700 %1$s'"
            .formatted(path)
        : "other users can open the secret %1$s; jobs that name it fail until you run 'chmod 600 %1$s'"
            .formatted(path);
  }
}
