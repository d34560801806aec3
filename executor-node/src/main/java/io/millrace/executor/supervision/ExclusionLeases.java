package io.millrace.executor.supervision;

import io.millrace.api.execution.CommandOrder.Exclusion;
import io.millrace.api.execution.SingleInstanceLeases;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.FailoverTime;
import io.millrace.executor.supervision.AttemptCommand.WatchdogStart;
import io.millrace.executor.supervision.ProcessTable.ProcessIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Until when single instances may run, as their watchdogs read it (M-07): a lease that has expired
 * does not end a process, its watchdog does.
 *
 * <p>All times are those since the machine's start: they continue while it is suspended, cannot be
 * set, and they are the same for agents and watchdogs. A deadline is computed from before the
 * renewing call was sent, so that it is never later than the one assumed by central managers.
 * Thread-safe; the methods read and write small files.
 */
public final class ExclusionLeases implements SingleInstanceLeases {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExclusionLeases.class);
  private static final Duration UNTIL_ANSWERED = Duration.ofSeconds(10);

  /**
   * How long the supervising shell may take to start the watchdog. It runs nothing before the
   * watchdog watches, so that there is nothing to guard until then.
   */
  private static final Duration STARTING = Duration.ofSeconds(5);

  private record Guarded(
      AttemptRecords records,
      Exclusion exclusion,
      ProcessIdentity leader,
      Duration addedAt,
      boolean current) {
    Guarded outdated() {
      return new Guarded(records, exclusion, leader, addedAt, false);
    }
  }

  /** The last grant of central managers. */
  private record Grant(Duration sentAt, Duration lease) {}

  private final ProcessTable table;
  private final WatchdogStart watchdogs;
  private final ConcurrentMap<AttemptId, Guarded> guarded = new ConcurrentHashMap<>();
  // Those that this agent had to start, at most one per attempt.
  private final ConcurrentMap<AttemptId, Process> started = new ConcurrentHashMap<>();
  private volatile Grant granted;

  ExclusionLeases(ProcessTable table, WatchdogStart watchdogs) {
    this.table = table;
    this.watchdogs = watchdogs;
  }

  /** The time since the machine's start; to be taken before a call that may renew is sent. */
  @Override
  public Duration now() {
    return table.uptime();
  }

  /**
   * A central manager has answered a registration or a poll of this node: all current single
   * instances may continue for their failover time, or the node's lease, from then on.
   *
   * @param sentAt {@link #now} before the call was sent
   * @param lease the node's, as told at its registration
   */
  @Override
  public void renewed(Duration sentAt, Duration lease) {
    granted = new Grant(sentAt, lease);
    guarded.forEach((id, attempt) -> renew(attempt, sentAt.plus(time(attempt.exclusion(), lease))));
  }

  /** The deadline of one that is about to start: counted from the poll that brought it. */
  Duration first(Exclusion exclusion) {
    Grant last = granted;
    return last == null
        ? now().plus(time(exclusion, UNTIL_ANSWERED))
        : last.sentAt().plus(time(exclusion, last.lease()));
  }

  /**
   * Renews from now on, and ensures at each renewal that there is a watchdog; not immediately,
   * because the supervising shell is about to start one.
   */
  void add(AttemptRecords records, Exclusion exclusion, ProcessIdentity leader) {
    guarded.put(records.directory().id(), new Guarded(records, exclusion, leader, now(), true));
  }

  /** An attempt is no longer current: it gets no more time, and its watchdog remains. */
  @Override
  public void outdated(AttemptId id) {
    guarded.computeIfPresent(id, (same, attempt) -> attempt.outdated());
  }

  void remove(AttemptId id) {
    Guarded attempt = guarded.remove(id);
    Process watchdog = started.remove(id);
    if (attempt != null && watchdog != null && !hasRecorded(attempt, watchdog)) {
      // It never started watching, and so will not notice that there is nothing left to watch.
      watchdog.destroyForcibly();
    }
  }

  private static boolean hasRecorded(Guarded attempt, Process watchdog) {
    try {
      return attempt.records().watchdog().filter(one -> one.pid() == watchdog.pid()).isPresent();
    } catch (IOException e) {
      return false;
    }
  }

  private void renew(Guarded attempt, Duration deadline) {
    try {
      if (attempt.current()) {
        attempt.records().writeLease(deadline);
      }
    } catch (IOException e) {
      LOGGER.error(
          "cannot renew the lease of attempt {}: its watchdog will kill it",
          attempt.records().directory().id(),
          e);
    }
    watch(attempt);
  }

  // A watchdog that somebody has killed is replaced while the attempt lives.
  private void watch(Guarded attempt) {
    try {
      Optional<ProcessIdentity> watchdog = attempt.records().watchdog();
      boolean watched = watchdog.filter(table::isAlive).isPresent();
      if (!watched && table.isAlive(attempt.leader()) && !starting(attempt, watchdog)) {
        replaceWatchdog(attempt);
      }
    } catch (IOException e) {
      LOGGER.error(
          "attempt {} has no watchdog and none can be started",
          attempt.records().directory().id(),
          e);
    }
  }

  /** Whether the supervising shell may still be starting the watchdog, which records itself. */
  private boolean starting(Guarded attempt, Optional<ProcessIdentity> watchdog) {
    return watchdog.isEmpty() && now().minus(attempt.addedAt()).compareTo(STARTING) < 0;
  }

  /**
   * Starts one unless the last one is running: the attempt may prevent its record, and each renewal
   * would then start another.
   */
  private synchronized void replaceWatchdog(Guarded attempt) throws IOException {
    AttemptDirectory directory = attempt.records().directory();
    Process last = started.get(directory.id());
    if (last == null || !last.isAlive()) {
      LOGGER.warn("attempt {} has no watchdog; starting one", directory.id());
      started.put(directory.id(), watchdogs.start(directory, attempt.leader()));
    }
  }

  private static Duration time(Exclusion exclusion, Duration lease) {
    return FailoverTime.of(exclusion.failover().orElse(null), lease);
  }
}
