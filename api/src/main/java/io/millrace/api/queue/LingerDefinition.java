package io.millrace.api.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;

/**
 * The run limits of a worker that lingers, which it is told in its environment and keeps by itself;
 * the worker's timeout holds whatever it does.
 *
 * @param maxEvents events that one run takes at the most; 0 for ten batches
 * @param maxTime time after which it takes no further batch; null for a minute
 * @param idle how long it waits for more when nothing is there; null for 2 s
 */
public record LingerDefinition(int maxEvents, Duration maxTime, Duration idle) {
  /** What a lingering worker gets whose definition says nothing about limits. */
  public static final LingerDefinition DEFAULT = new LingerDefinition(0, null, null);

  private static final int BATCHES = 10;

  public LingerDefinition {
    require(maxEvents >= 0, "worker.linger.maxEvents is at least 1, 0 for ten batches");
    maxTime = maxTime == null ? Duration.ofMinutes(1) : maxTime;
    idle = idle == null ? Duration.ofSeconds(2) : idle;
    require(
        maxTime.compareTo(Duration.ofMillis(100)) >= 0, "worker.linger.maxTime is at least 100ms");
    require(!idle.isNegative(), "worker.linger.idle is not negative");
  }

  /** Events that one run takes at the most, in a queue of that batch. */
  public int capacity(int batch) {
    return maxEvents == 0 ? BATCHES * batch : Math.max(batch, maxEvents);
  }

  private static void require(boolean kept, String rule) {
    if (!kept) {
      throw new MillraceException(ErrorCode.INVALID_DEFINITION, rule);
    }
  }
}
