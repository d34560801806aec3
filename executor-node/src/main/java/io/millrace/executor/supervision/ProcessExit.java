package io.millrace.executor.supervision;

import io.millrace.api.job.Usage;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How an attempt ended.
 *
 * <p>The exit code comes through a shell, which reports the end by signal n as 128 + n; codes 129
 * to 192 are therefore read as signals. A program that itself exits with such a code cannot be
 * distinguished from one that was killed.
 *
 * @param kind what ended it
 * @param exitCode the command's exit code, when it exited
 * @param signal the signal that ended the command, when one did
 * @param reason human-readable
 * @param endedAt wall clock of this host
 * @param usage what its processes used, as far as it was observed
 */
public record ProcessExit(
    Kind kind,
    OptionalInt exitCode,
    OptionalInt signal,
    String reason,
    Instant endedAt,
    Optional<Usage> usage) {

  /** An end without known usage. */
  public ProcessExit(
      Kind kind, OptionalInt exitCode, OptionalInt signal, String reason, Instant endedAt) {
    this(kind, exitCode, signal, reason, endedAt, Optional.empty());
  }

  /** The same with another observation of its usage. */
  ProcessExit withUsage(Optional<Usage> seen) {
    Optional<Usage> both =
        usage.isPresent() && seen.isPresent()
            ? Optional.of(UsageTally.larger(usage.get(), seen.get()))
            : usage.or(() -> seen);
    return new ProcessExit(kind, exitCode, signal, reason, endedAt, both);
  }

  /** What ended an attempt. */
  public enum Kind {
    /** The command exited by itself, with any code. */
    EXITED,
    /** A signal that was not sent on behalf of Millrace. */
    SIGNALLED,
    /** The time limit. */
    TIMED_OUT,
    /** The memory limit. */
    MEMORY_EXCEEDED,
    /** {@link SupervisedProcess#stop}. */
    STOPPED,
    /** The command never ran. */
    START_FAILED,
    /** This node does not run jobs as its user; nothing was started. */
    REFUSED,
    /** The agent ended before it started anything of the attempt. */
    NEVER_BEGAN,
    /** Its processes ended without a record. */
    LOST,
    /**
     * It was killed and is still there, usually waiting for a disk or a network file system. It
     * executes no further instruction, but what it holds is not free.
     */
    UNKILLABLE
  }
}
