package io.millrace.executor.run;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.executor.supervision.SupervisionSettings.LogLimits;
import java.nio.file.Path;
import java.util.List;

/**
 * Limits of jobs on a node.
 *
 * @param logHead size of the beginning of each output that is kept
 * @param logTail size of the end of each output that is kept
 * @param secretsDirectory folder of the secrets that jobs name; null for {@code secrets} in the
 *     data directory
 * @param runAsUsers users that jobs may run as if the node runs as root; never root itself
 * @param controlGroup folder of the cgroup v2 tree that is delegated to the node; null to use one
 *     delegated by systemd
 */
public record LimitSettings(
    DataSize logHead,
    DataSize logTail,
    Path secretsDirectory,
    List<String> runAsUsers,
    Path controlGroup) {
  private static final long MIN = 4096;

  public LimitSettings {
    runAsUsers = List.copyOf(runAsUsers);
    if (logHead.bytes() < MIN || logTail.bytes() < MIN) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "logHead and logTail must each be at least 4KB");
    }
  }

  /** 16 MB of head and tail each; only the agent's user. */
  public static LimitSettings defaults() {
    LogLimits logs = LogLimits.defaults();
    return new LimitSettings(logs.head(), logs.tail(), null, List.of(), null);
  }

  /** The limits of the outputs. */
  public LogLimits logs() {
    return new LogLimits(logHead, logTail);
  }
}
