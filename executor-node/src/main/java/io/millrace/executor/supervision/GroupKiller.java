package io.millrace.executor.supervision;

import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills processes by group, repeatedly, until none is left or the bound has passed. Runs on the
 * timer and uses it only for one check and signal at a time.
 */
final class GroupKiller {

  private static final Logger LOGGER = LoggerFactory.getLogger(GroupKiller.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);

  private final GroupSignals signals;
  private final SupervisionTimer timer;
  private final Clock clock;
  private final SupervisionSettings settings;

  GroupKiller(
      GroupSignals signals, SupervisionTimer timer, Clock clock, SupervisionSettings settings) {
    this.signals = signals;
    this.timer = timer;
    this.clock = clock;
    this.settings = settings;
  }

  /**
   * Starts on the timer.
   *
   * @param remaining finds the processes that should end and still exist
   * @param survivors called on the timer with those that still exist at the bound, normally none
   */
  void kill(Supplier<List<ProcessEntry>> remaining, Consumer<List<ProcessEntry>> survivors) {
    long begin = clock.nanoTime();
    timer.execute(() -> pass(remaining, survivors, begin, FIRST_PAUSE));
  }

  private void pass(
      Supplier<List<ProcessEntry>> remaining,
      Consumer<List<ProcessEntry>> survivors,
      long begin,
      Duration pause) {
    List<ProcessEntry> found = List.of();
    boolean scanned = false;
    try {
      found = remaining.get();
      scanned = true;
      signals.kill(found.stream().map(ProcessEntry::group).toList());
    } catch (RuntimeException e) {
      LOGGER.warn("cannot find or kill what is left of an attempt; trying again", e);
    }
    boolean late = clock.nanoTime() - begin >= settings.killBound().toNanos();
    if (late || (scanned && found.isEmpty())) {
      survivors.accept(found);
      return;
    }
    Duration doubled = pause.multipliedBy(2);
    Duration next =
        doubled.compareTo(settings.pollInterval()) < 0 ? doubled : settings.pollInterval();
    timer.after(pause, () -> pass(remaining, survivors, begin, next));
  }
}
