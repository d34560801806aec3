package io.millrace.executor.supervision;

import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one thread, {@code usage-sampler}, that samples the processes of all attempts with one pass
 * over {@code /proc}.
 *
 * <p>The environment of a process is read once. A process with this node's mark whose attempt is
 * not running is reported as stray at the second pass. Thread-safe.
 */
final class Sampler implements AutoCloseable {
  private static final int CHECKS_PER_INTERVAL = 4;
  private static final int IDLE_INTERVALS = 10;

  /** One process for as long as this machine runs. */
  private record Seen(long pid, long startTicks) {}

  /** Receives strays. */
  @FunctionalInterface
  interface StrayHandler {
    /** Called on the sampler's thread; must not block. */
    void found(Set<AttemptId> attempts);
  }

  private final ProcessTable table;
  private final AttemptMarks marks;
  private final Clock clock;
  private final Duration interval;
  private final Set<AttemptId> running;
  private final StrayHandler strays;
  private final Loop loop;
  private final AtomicBoolean started = new AtomicBoolean();
  private final ConcurrentMap<AttemptId, Sampled> attempts = new ConcurrentHashMap<>();
  private volatile boolean sweeping;
  // Used only by the loop's thread.
  private Map<Seen, Optional<AttemptId>> marked = Map.of();
  private Set<AttemptId> suspected = Set.of();
  private boolean urgent = true;
  private long walkedAt;

  /**
   * A sampler that starts with the first attempt or the first sweep.
   *
   * @param running supplies the attempts that are running or being started
   */
  Sampler(
      ProcessTable table,
      AttemptMarks marks,
      Clock clock,
      Duration interval,
      Set<AttemptId> running,
      StrayHandler strays) {
    this.table = table;
    this.marks = marks;
    this.clock = clock;
    this.interval = interval;
    this.running = running;
    this.strays = strays;
    this.loop = new Loop("usage-sampler", interval.dividedBy(CHECKS_PER_INTERVAL), this::sample);
  }

  void add(AttemptId id, Sampled attempt) {
    attempts.put(id, attempt);
    begin();
  }

  void remove(AttemptId id) {
    attempts.remove(id);
  }

  /** Reports strays from now on: all attempts of an earlier agent are known. */
  void sweep() {
    sweeping = true;
    begin();
  }

  /** Ends the thread. */
  @Override
  public void close() {
    loop.stop();
  }

  private void begin() {
    if (started.compareAndSet(false, true)) {
      try {
        loop.start();
      } catch (IllegalStateException closed) {
        attempts.clear();
      }
    }
  }

  private void sample() {
    long now = clock.nanoTime();
    Duration pause = attempts.isEmpty() ? interval.multipliedBy(IDLE_INTERVALS) : interval;
    boolean due = now - walkedAt >= pause.toNanos();
    if (due || urgent || attempts.values().stream().anyMatch(Sampled::isLimited)) {
      walkedAt = now;
      walk(now);
    }
  }

  private void walk(long now) {
    Map<Long, AttemptId> leaders = new HashMap<>();
    attempts.forEach((id, attempt) -> leaders.put(attempt.leader().pid(), id));
    Map<AttemptId, List<ProcessEntry>> members = new HashMap<>();
    Map<Seen, Optional<AttemptId>> stillMarked = new HashMap<>();
    for (ProcessEntry entry : table.alive()) {
      AttemptId id = leaders.get(entry.session());
      id = id == null ? leaders.get(entry.group()) : id;
      if (id == null) {
        Seen seen = new Seen(entry.pid(), entry.startTicks());
        Optional<AttemptId> mark = marked.get(seen);
        mark = mark == null ? table.attemptOf(entry.pid(), marks) : mark;
        stillMarked.put(seen, mark);
        id = mark.orElse(null);
      }
      if (id != null) {
        members.computeIfAbsent(id, one -> new ArrayList<>()).add(entry);
      }
    }
    marked = stillMarked;
    urgent = false;
    attempts.forEach(
        (id, attempt) -> urgent |= attempt.sample(members.getOrDefault(id, List.of()), table, now));
    reportStrays(members.keySet());
  }

  private void reportStrays(Set<AttemptId> seen) {
    Set<AttemptId> unknown = new HashSet<>(seen);
    unknown.removeAll(running);
    Set<AttemptId> again = new HashSet<>(unknown);
    again.retainAll(suspected);
    suspected = unknown;
    if (sweeping && !again.isEmpty()) {
      strays.found(again);
    }
  }
}
