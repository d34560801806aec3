package io.millrace.api.task;

import com.fasterxml.jackson.annotation.JsonAlias;
import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * When something is planned: one of {@code cron}, {@code every} and {@code perpetual}.
 *
 * @param cron 5 fields as in Unix (both day fields given: either suffices), or 6 or 7 as in Quartz;
 *     {@code @every 5m} becomes {@code every}
 * @param every fixed interval, from midnight of the day on which it was first applied
 * @param perpetual run after run
 * @param zone time zone of cron and windows; UTC by default
 * @param skipped what happens to a time that the clocks skip. Null: after the gap if cron names
 *     hours; a schedule that runs every hour, such as every 5 minutes, is not affected
 * @param repeated what happens to a time that occurs twice. Null: the first time only if cron names
 *     hours; a schedule that runs every hour is not affected
 * @param jitter each planned time is delayed by a random part of it, the same for all managers;
 *     null for none
 * @param overlap what happens while the previous run is still running; skip by default
 * @param catchUp what happens to missed times; last by default
 * @param catchUpLimit the most runs of {@link CatchUpRule#ALL}; 10 by default
 * @param catchUpPauses whether times that pass during a pause are caught up when it ends; otherwise
 *     they are recorded as missed, regardless of {@code catchUp}
 */
@RecordBuilder
public record ScheduleDefinition(
    String cron,
    Duration every,
    PerpetualDefinition perpetual,
    String zone,
    SkippedTime skipped,
    RepeatedTime repeated,
    Duration jitter,
    OverlapRule overlap,
    CatchUpRule catchUp,
    int catchUpLimit,
    boolean catchUpPauses)
    implements ScheduleDefinitionBuilder.With {
  private static final String EVERY = "@every ";

  public ScheduleDefinition {
    if (every == null && cron != null && cron.strip().toLowerCase(Locale.ROOT).startsWith(EVERY)) {
      every = interval(cron.strip());
      cron = null;
    }
    if (Stream.of(cron == null, every == null, perpetual == null).filter(none -> !none).count()
        != 1) {
      throw refuse("give exactly one of cron, every or perpetual");
    }
    if (every != null && every.compareTo(Duration.ofSeconds(1)) < 0) {
      throw refuse("every must be at least 1s");
    }
    if (cron != null && cron.isBlank()) {
      throw refuse("cron is empty; write one such as '0 2 * * *'");
    }
    if (cron == null && (skipped != null || repeated != null)) {
      throw refuse("skipped and repeated are only for cron, which names times of day");
    }
    zone = zone == null ? "UTC" : zone;
    try {
      ZoneId.of(zone);
    } catch (DateTimeException e) {
      throw refuse("zone '" + zone + "' is unknown; write one such as Europe/Amsterdam or UTC");
    }
    if (jitter != null && jitter.isNegative()) {
      throw refuse("jitter must not be negative");
    }
    overlap = overlap == null ? OverlapRule.SKIP : overlap;
    catchUp = catchUp == null ? CatchUpRule.LAST : catchUp;
    catchUpLimit = catchUpLimit == 0 ? 10 : catchUpLimit;
    if (catchUpLimit < 1 || catchUpLimit > 1000) {
      throw refuse("catchUpLimit must be from 1 to 1000");
    }
    if (catchUpPauses && catchUp == CatchUpRule.NONE) {
      throw refuse("catchUpPauses requires catchUp: last or all");
    }
  }

  /** Other schedulers' way to write {@code every} among their cron expressions. */
  private static Duration interval(String cron) {
    try {
      return Durations.parse(cron.substring(EVERY.length()).strip());
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorCode.INVALID_DEFINITION,
          "schedule.cron: '" + cron + "' has no valid interval: " + e.getMessage(),
          e);
    }
  }

  private static MillraceException refuse(String rule) {
    return new MillraceException(ErrorCode.INVALID_DEFINITION, "schedule: " + rule);
  }

  /**
   * The part of the day in which something may run, in the schedule's zone.
   *
   * @param from first moment
   * @param to first moment after; earlier than {@code from} for a window over midnight
   * @param atEnd what happens to a run that has not ended by then
   */
  public record TimeWindow(LocalTime from, LocalTime to, WindowEnd atEnd) {
    public TimeWindow {
      if (from == null || to == null || from.equals(to)) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION,
            "window: from and to must be two different times such as 02:00 and 06:00");
      }
      atEnd = atEnd == null ? WindowEnd.FINISH : atEnd;
    }
  }

  /**
   * Run after run, with a pause that depends on whether the last one found work (H-022).
   *
   * @param afterWork pause after a run that did something; 1 s by default
   * @param afterNothing pause after a run that found nothing to do; 1 min by default
   */
  public record PerpetualDefinition(Duration afterWork, Duration afterNothing) {
    public PerpetualDefinition {
      afterWork = afterWork == null ? Duration.ofSeconds(1) : afterWork;
      afterNothing = afterNothing == null ? Duration.ofMinutes(1) : afterNothing;
      if (afterWork.isNegative() || afterNothing.isNegative()) {
        throw new MillraceException(
            ErrorCode.INVALID_DEFINITION, "schedule.perpetual: pauses must not be negative");
      }
    }
  }

  /** What happens to planned times that passed while nothing could be started; all are recorded. */
  public enum CatchUpRule {
    /** They are recorded as missed. */
    NONE,
    /** The last one runs, the others are recorded as missed. */
    LAST,
    /** They run one after the other, up to the schedule's limit, the newest ones. */
    ALL
  }

  /** What happens to a planned run while the previous one is still running. */
  public enum OverlapRule {
    /** It is recorded as skipped. */
    SKIP,
    /** It waits for the end of the other; at most one waits. */
    QUEUE,
    /** The other is stopped and this one runs. */
    REPLACE
  }

  /** What happens to a planned time that occurs twice when daylight saving time ends. */
  public enum RepeatedTime {
    /** It runs the first time only. */
    FIRST,
    /** It runs the second time only. */
    SECOND,
    /** It runs both times. */
    BOTH
  }

  /** What happens to a planned time that is skipped when daylight saving time begins. */
  public enum SkippedTime {
    /** It runs once, right after the gap. */
    @JsonAlias("after-gap")
    AFTER_GAP,
    /** It does not run that day. */
    NEVER
  }

  /** What happens to a run when its window ends. */
  public enum WindowEnd {
    /** It is finished; no new one starts. */
    FINISH,
    /** It is stopped; the rest is left to the next window. */
    STOP
  }
}
