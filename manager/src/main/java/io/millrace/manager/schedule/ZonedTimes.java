package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RepeatedTime;
import io.millrace.api.task.SkippedTime;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;

/**
 * Wall clock times of a zone as moments. Walks from one change of the zone's offset to the next;
 * between two of them wall clock and time agree. Immutable, thread-safe.
 */
@Pure
final class ZonedTimes {
  /** More than any offset and any change of one, so that no change is jumped over unseen. */
  private static final int MARGIN_DAYS = 3;

  private final LocalTimes times;
  private final ZoneRules rules;
  private final SkippedTime skipped;
  private final RepeatedTime repeated;

  ZonedTimes(LocalTimes times, ZoneRules rules, SkippedTime skipped, RepeatedTime repeated) {
    this.times = times;
    this.rules = rules;
    this.skipped = skipped;
    this.repeated = repeated;
  }

  /** The first moment strictly after another; empty when there is none in the next 100 years. */
  Optional<Instant> next(Instant after) {
    Instant moment = after;
    while (true) {
      ZoneOffset offset = rules.getOffset(moment);
      ZoneOffsetTransition before = rules.previousTransition(moment.plusNanos(1));
      ZoneOffsetTransition behind = rules.nextTransition(moment);
      LocalDateTime from = from(LocalDateTime.ofInstant(moment, offset), before);
      Optional<LocalDateTime> found = times.next(from);
      if (found.isPresent() && isBefore(found.get(), behind)) {
        return Optional.of(found.get().toInstant(offset));
      }
      if (behind == null || (found.isEmpty() && behind.isGap())) {
        return Optional.empty();
      }
      if (behind.isGap() && skipped == SkippedTime.AFTER_GAP && fallsInto(behind)) {
        return Optional.of(behind.getInstant());
      }
      // What is planned for the very moment of the change belongs to the new offset.
      Instant resumed = behind.getInstant();
      if (falls(resumed, behind)) {
        return Optional.of(resumed);
      }
      // Behind a gap nothing comes before what was found; an overlap shows earlier times again.
      moment = behind.isGap() ? later(resumed, found) : resumed;
    }
  }

  private boolean falls(Instant change, ZoneOffsetTransition behind) {
    LocalDateTime local = behind.getDateTimeAfter();
    if (behind.isOverlap() && repeated == RepeatedTime.FIRST) {
      return false;
    }
    return times.next(local.minusNanos(1)).filter(local::equals).isPresent()
        && isBefore(local, rules.nextTransition(change));
  }

  /** Where to look from: behind the repeated times that do not count. */
  private LocalDateTime from(LocalDateTime local, ZoneOffsetTransition before) {
    if (before == null || before.isGap() || repeated != RepeatedTime.FIRST) {
      return local;
    }
    LocalDateTime lastRepeated = before.getDateTimeBefore().minusNanos(1);
    return lastRepeated.isAfter(local) ? lastRepeated : local;
  }

  private boolean isBefore(LocalDateTime local, ZoneOffsetTransition behind) {
    if (behind == null) {
      return true;
    }
    boolean secondOnly = behind.isOverlap() && repeated == RepeatedTime.SECOND;
    return local.isBefore(secondOnly ? behind.getDateTimeAfter() : behind.getDateTimeBefore());
  }

  private boolean fallsInto(ZoneOffsetTransition gap) {
    return times
        .next(gap.getDateTimeBefore().minusNanos(1))
        .filter(local -> local.isBefore(gap.getDateTimeAfter()))
        .isPresent();
  }

  /** The change, or a moment well before a time that is far off. */
  private static Instant later(Instant change, Optional<LocalDateTime> found) {
    return found
        .map(local -> local.minusDays(MARGIN_DAYS).toInstant(ZoneOffset.UTC))
        .filter(change::isBefore)
        .orElse(change);
  }
}
