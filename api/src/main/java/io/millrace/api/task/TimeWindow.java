package io.millrace.api.task;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.LocalTime;

/**
 * The part of the day in which something may run, in the schedule's zone.
 *
 * @param from first moment
 * @param to first moment after; earlier than {@code from} for a window over midnight
 * @param atEnd what becomes of a run that has not ended then
 */
public record TimeWindow(LocalTime from, LocalTime to, WindowEnd atEnd) {
  public TimeWindow {
    if (from == null || to == null || from.equals(to)) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "window: wants from and to, two different times such as 02:00 and 06:00");
    }
    atEnd = atEnd == null ? WindowEnd.FINISH : atEnd;
  }
}
