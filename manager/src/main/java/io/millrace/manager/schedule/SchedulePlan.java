package io.millrace.manager.schedule;

import com.google.common.hash.Hashing;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.api.task.ScheduleDefinition.PerpetualDefinition;
import io.millrace.api.task.ScheduleDefinition.TimeWindow;
import io.millrace.api.task.SchedulePreview;
import io.millrace.manager.schedule.DueDecision.NextStart;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The planned times of one task: its schedule inside its window, with jitter. Immutable,
 * thread-safe; worth caching per version of the definition.
 */
@Pure
public final class SchedulePlan {
  private static final int PREVIEWED = 5;

  /** After this many openings without a planned time there is none. */
  private static final int MAX_OPENINGS = 1000;

  private final String task;
  private final ScheduleDefinition schedule;
  private final TimeWindow window;
  private final PlannedTimes times;
  private final WindowTimes openings;

  private SchedulePlan(
      String task, ScheduleDefinition schedule, TimeWindow window, PlannedTimes times) {
    this.task = task;
    this.schedule = schedule;
    this.window = window;
    this.times = times;
    this.openings = WindowTimes.of(window, ZoneId.of(schedule.zone()));
  }

  /**
   * The plan of a task.
   *
   * @param task its name, from which the jitter is derived, the same for all managers
   * @param window null for no window
   * @param firstApplied when the task was first applied; {@code every} counts from midnight of that
   *     day
   * @throws MillraceException INVALID_DEFINITION if {@link #problems} finds something
   */
  public static SchedulePlan of(
      String task, ScheduleDefinition schedule, TimeWindow window, Instant firstApplied) {
    PlannedTimes times = PlannedTimes.of(schedule, firstApplied);
    return new SchedulePlan(task, schedule, window, times);
  }

  /**
   * Problems beyond the records' own rules; each begins with the path of the field.
   *
   * @param now of which all planned times must not be over
   */
  public static List<String> problems(ScheduleDefinition schedule, TimeWindow window, Instant now) {
    List<String> problems = PlannedTimes.problems(schedule, now);
    if (!problems.isEmpty() || window == null || schedule.perpetual() != null) {
      return problems;
    }
    try {
      // The openings tried cover all days of the week and leap years.
      return of("", schedule, window, Instant.EPOCH).next(Instant.EPOCH).isPresent()
          ? List.of()
          : List.of(
              "window: contains none of the planned times; change the window or the schedule");
    } catch (MillraceException e) {
      return List.of(e.getMessage());
    }
  }

  /** The first planned time strictly after a moment that lies in the window. */
  public Optional<Instant> next(Instant after) {
    Optional<Instant> planned = times.next(after);
    for (int tried = 0; planned.isPresent() && tried < MAX_OPENINGS; tried++) {
      Instant open = openings.openFrom(planned.get());
      if (open.equals(planned.get())) {
        return planned;
      }
      planned = times.next(open.minusNanos(1));
    }
    return Optional.empty();
  }

  /** A description, with the next five times inside the window. */
  public SchedulePreview preview(Instant now) {
    return new SchedulePreview(
        ScheduleFormatter.of(schedule, window),
        Stream.iterate(next(now), Optional::isPresent, last -> last.flatMap(this::next))
            .limit(PREVIEWED)
            .map(Optional::orElseThrow)
            .toList());
  }

  /**
   * When a planned time is due: delayed by its jitter, but not past the next planned time or the
   * end of the window.
   */
  Instant due(Instant planned) {
    Duration range = schedule.jitter();
    if (range == null || range.isZero()) {
      return planned;
    }
    range = capped(range, planned, next(planned));
    range = capped(range, planned, openings.openUntil(planned));
    return planned.plusMillis((long) (range.toMillis() * fraction(planned)));
  }

  private static Duration capped(Duration range, Instant planned, Optional<Instant> end) {
    Duration max = end.map(one -> Duration.between(planned, one)).orElse(range);
    return max.compareTo(range) < 0 ? max : range;
  }

  /** A fraction from 0 to below 1, derived from name and time only, so that all managers agree. */
  private double fraction(Instant planned) {
    long bits =
        Hashing.murmur3_128()
            .newHasher()
            .putString(task, StandardCharsets.UTF_8)
            .putLong(planned.toEpochMilli())
            .hash()
            .asLong();
    return (bits >>> 11) * 0x1.0p-53;
  }

  NextStart start(Instant planned) {
    return new NextStart(planned, due(planned));
  }

  WindowTimes openings() {
    return openings;
  }

  Optional<PerpetualDefinition> perpetual() {
    return Optional.ofNullable(schedule.perpetual());
  }

  OverlapRule overlap() {
    return schedule.overlap();
  }

  CatchUpRule catchUp() {
    return schedule.catchUp();
  }

  int catchUpLimit() {
    return schedule.catchUpLimit();
  }

  /** Whether times that pass during a pause are caught up. */
  public boolean catchesUpPauses() {
    return schedule.catchUpPauses();
  }
}
