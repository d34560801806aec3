package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;

/**
 * Run after run, with a pause that depends on whether the last one found work (H-022).
 *
 * @param afterWork pause after a run that did something; 1 s unless given
 * @param afterNothing pause after a run that found nothing to do; 1 min unless given
 */
public record PerpetualDefinition(Duration afterWork, Duration afterNothing) {
  public PerpetualDefinition {
    afterWork = afterWork == null ? Duration.ofSeconds(1) : afterWork;
    afterNothing = afterNothing == null ? Duration.ofMinutes(1) : afterNothing;
    if (afterWork.isNegative() || afterNothing.isNegative()) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION, "schedule.perpetual: pauses are not negative");
    }
  }
}
