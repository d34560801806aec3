package io.millrace.manager.job;

import io.millrace.api.job.Usage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * What is kept of an element of an array that succeeded at its first try, instead of its rows.
 * Times are whole milliseconds, memory whole KiB, both rounded down.
 *
 * @param node number of its node, see {@link ElementBlockDao}
 * @param submittedAt when it became a job
 * @param placedAt when it was placed on its node
 * @param startedAt when it started
 * @param endedAt when it ended
 * @param runMillis how long it ran, as measured by its node
 * @param usage what it used; null if its node did not measure it
 */
record EndedElement(
    int node,
    Instant submittedAt,
    Instant placedAt,
    Instant startedAt,
    Instant endedAt,
    long runMillis,
    Usage usage) {
  private static final long KIB = 1024;

  EndedElement {
    submittedAt = submittedAt.truncatedTo(ChronoUnit.MILLIS);
    placedAt = placedAt.truncatedTo(ChronoUnit.MILLIS);
    startedAt = startedAt.truncatedTo(ChronoUnit.MILLIS);
    endedAt = endedAt.truncatedTo(ChronoUnit.MILLIS);
    usage =
        usage == null
            ? null
            : new Usage(
                usage.cpuMillis(),
                usage.memoryBytes() / KIB * KIB,
                usage.readBytes(),
                usage.writtenBytes());
  }

  /** Of an attempt that succeeded. */
  static EndedElement of(EndedAttempt end, int node) {
    return new EndedElement(
        node,
        end.job().submittedAt(),
        end.job().placedAt(),
        end.startedAt(),
        end.endedAt(),
        end.result().runMillis(),
        end.result().usage());
  }
}
