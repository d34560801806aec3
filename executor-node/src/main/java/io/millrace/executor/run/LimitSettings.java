package io.millrace.executor.run;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import java.nio.file.Path;
import java.util.List;

/**
 * What jobs may use and do on a node.
 *
 * @param logHead how much is kept of the beginning of each output
 * @param logTail how much is kept of what is newest in each output
 * @param secretsDirectory where the secrets are that jobs name; null for {@code secrets} in the
 *     data directory
 * @param runAsUsers users that jobs may run as, when the node runs as root; never root itself
 * @param controlGroup folder of the cgroup v2 tree that was given to the node; null to look whether
 *     systemd has given it one
 */
public record LimitSettings(
    DataSize logHead,
    DataSize logTail,
    Path secretsDirectory,
    List<String> runAsUsers,
    Path controlGroup) {
  private static final long LEAST = 4096;

  public LimitSettings {
    runAsUsers = List.copyOf(runAsUsers);
    if (logHead.bytes() < LEAST || logTail.bytes() < LEAST) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "logHead and logTail are at least 4KB each");
    }
  }

  /** 16 MB of head and tail each; nobody but the agent's own user. */
  public static LimitSettings defaults() {
    LogLimits logs = LogLimits.defaults();
    return new LimitSettings(logs.head(), logs.tail(), null, List.of(), null);
  }

  /** How much of the outputs is kept. */
  public LogLimits logs() {
    return new LogLimits(logHead, logTail);
  }
}
