package io.millrace.executor.run;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Limits of jobs on a node.
 *
 * @param logHead size of the beginning of each output that is kept
 * @param logTail size of the end of each output that is kept
 * @param secretsDirectory folder of the secrets that jobs name; empty for {@code secrets} in the
 *     data directory
 * @param runAsUsers users that jobs may run as if the node runs as root; never root itself
 * @param defaultUser user of jobs that name none, if the node runs as root
 * @param allowRoot whether jobs that name no user run as root if the node runs as root and has no
 *     default user
 * @param controlGroup folder of the cgroup v2 tree that is delegated to the node; empty to use one
 *     delegated by systemd
 */
public record LimitSettings(
    DataSize logHead,
    DataSize logTail,
    Optional<Path> secretsDirectory,
    List<String> runAsUsers,
    Optional<String> defaultUser,
    boolean allowRoot,
    Optional<Path> controlGroup) {
  private static final long MIN = 4096;

  public LimitSettings {
    runAsUsers = List.copyOf(runAsUsers);
    requireSize("logHead", logHead);
    requireSize("logTail", logTail);
    if (defaultUser.isPresent() && allowRoot) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "set either defaultUser or allowRoot: jobs that name no user run as the one or the other");
    }
  }

  private static void requireSize(String key, DataSize size) {
    if (size.bytes() < MIN) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "%s must be at least 4KB, not %s".formatted(key, size));
    }
  }

  /** 16 MB of head and tail each; only the agent's user, but never root. */
  public static LimitSettings defaults() {
    LogLimits logs = LogLimits.defaults();
    return new LimitSettings(
        logs.head(),
        logs.tail(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        false,
        Optional.empty());
  }

  /** These limits with another user for jobs that name none; empty for root. */
  public LimitSettings withUser(Optional<String> user) {
    return new LimitSettings(
        logHead, logTail, secretsDirectory, runAsUsers, user, user.isEmpty(), controlGroup);
  }

  /** Whether jobs may run as users other than the agent's, if the agent runs as root. */
  boolean namesUsers() {
    return defaultUser.isPresent() || !runAsUsers.isEmpty();
  }

  /** The limits of the outputs. */
  public LogLimits logs() {
    return new LogLimits(logHead, logTail);
  }
}
