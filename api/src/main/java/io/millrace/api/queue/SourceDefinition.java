package io.millrace.api.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.List;

/**
 * Where the events of an external queue lie: somewhere that Millrace knows only by a command.
 *
 * @param waiting command, argv without a shell, that prints how many events wait as the last line
 *     of its output; run on the execution node of the queue's manager
 * @param every how often it is run; null for 10 s
 * @param timeout after which it is killed and counts as failed; null for 10 s
 */
public record SourceDefinition(List<String> waiting, Duration every, Duration timeout) {
  public SourceDefinition {
    require(
        waiting != null && !waiting.isEmpty(),
        "source.waiting is missing: write the program that prints how many wait, and its"
            + " arguments, as a list");
    waiting = List.copyOf(waiting);
    every = every == null ? Duration.ofSeconds(10) : every;
    timeout = timeout == null ? Duration.ofSeconds(10) : timeout;
    require(every.compareTo(Duration.ofMillis(100)) >= 0, "source.every is at least 100ms");
    require(timeout.compareTo(Duration.ofMillis(100)) >= 0, "source.timeout is at least 100ms");
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
