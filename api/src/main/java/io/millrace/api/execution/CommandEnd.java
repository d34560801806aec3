package io.millrace.api.execution;

import io.millrace.api.job.Usage;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a command ended.
 *
 * <p>Where an exit code comes through a shell, which reports the end by signal n as 128 + n, codes
 * 129 to 192 are read as signals. A program that itself exits with such a code cannot be
 * distinguished from one that was killed.
 *
 * @param kind what ended it
 * @param exitCode the command's exit code, when it exited
 * @param signal the signal that ended the command, when one did
 * @param reason human-readable
 * @param endedAt wall clock of this host
 * @param usage what its processes used, as far as it was observed
 */
public record CommandEnd(
    Kind kind,
    OptionalInt exitCode,
    OptionalInt signal,
    String reason,
    Instant endedAt,
    Optional<Usage> usage) {

  /** An end without known usage. */
  public CommandEnd(
      Kind kind, OptionalInt exitCode, OptionalInt signal, String reason, Instant endedAt) {
    this(kind, exitCode, signal, reason, endedAt, Optional.empty());
  }

  /** The same with another observation of its usage; the larger figures count. */
  public CommandEnd withUsage(Optional<Usage> seen) {
    Optional<Usage> both =
        usage.isPresent() && seen.isPresent()
            ? Optional.of(usage.get().larger(seen.get()))
            : usage.or(() -> seen);
    return new CommandEnd(kind, exitCode, signal, reason, endedAt, both);
  }

  /** Whether it exited by itself with this code. */
  public boolean exitedWith(int code) {
    return kind == Kind.EXITED && exitCode.isPresent() && exitCode.getAsInt() == code;
  }

  /** What ended a command. */
  public enum Kind {
    /** It exited by itself, with any code. */
    EXITED,
    /** A signal that was not sent on behalf of Millrace. */
    SIGNALLED,
    /** Its time limit. */
    TIMED_OUT,
    /** Its memory limit. */
    MEMORY_EXCEEDED,
    /** {@link RunningCommand#stop}. */
    STOPPED,
    /** It never ran, because it cannot: there is no such program or folder. */
    START_FAILED,
    /**
     * The node or its backend does not run it; nothing was started, and another node may take it.
     */
    REFUSED,
    /** The node ended before anything of it was started. */
    NEVER_BEGAN,
    /** Its processes ended, and nothing is known of how. */
    LOST,
    /**
     * It was killed and is still there, usually waiting for a disk or a network file system. It
     * executes no further instruction, but what it holds is not free.
     */
    UNKILLABLE
  }
}
