package io.millrace.queuenode.segment;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import java.util.List;

/**
 * Commands at both ends of a segment's life, each a program with its arguments; no shell reads
 * them. They find MILLRACE_QUEUE, MILLRACE_NODE and MILLRACE_WEIGHT in their environment.
 *
 * @param start run before the segment takes events, also after a restart of the node, so that it
 *     must bear to be run again; empty for none
 * @param stop run after the segment has closed; empty for none
 * @param timeout after which a command is killed and counts as failed
 */
public record HookSettings(List<String> start, List<String> stop, Duration timeout) {
  public HookSettings {
    start = List.copyOf(start);
    stop = List.copyOf(stop);
    if (timeout.isZero() || timeout.isNegative()) {
      throw new MillraceException(ErrorCode.CONFIGURATION, "the hooks' timeout is above 0");
    }
  }

  public static HookSettings defaults() {
    return new HookSettings(List.of(), List.of(), Duration.ofSeconds(10));
  }
}
