package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.text.ParseException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.Optional;
import java.util.TimeZone;
import org.quartz.CronExpression;

/**
 * Quartz's calendar arithmetic on wall clock times. Quartz sees them as UTC, which has no summer
 * time: with a real zone it loses and doubles times at the changes.
 */
@Pure
final class QuartzTimes implements LocalTimes {
  private final CronExpression expression;

  /** An expression of 7 fields that was put together from checked values. */
  QuartzTimes(String expression) {
    try {
      this.expression = new CronExpression(expression);
    } catch (ParseException e) {
      throw new IllegalStateException("Quartz does not read '" + expression + "'", e);
    }
    this.expression.setTimeZone(TimeZone.getTimeZone(ZoneOffset.UTC));
  }

  @Override
  public Optional<LocalDateTime> next(LocalDateTime after) {
    return Optional.ofNullable(
            expression.getNextValidTimeAfter(Date.from(after.toInstant(ZoneOffset.UTC))))
        .map(date -> LocalDateTime.ofInstant(date.toInstant(), ZoneOffset.UTC));
  }
}
