package io.millrace.executor.supervision;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.executor.supervision.AttemptRecords.AttemptMarks;
import io.millrace.executor.supervision.ProcessTable.ProcessEntry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds processes of this node by the marks in their environment and kills their groups, even if
 * they have left the attempt's group. Processes that have cleared their environment and left their
 * group are not found.
 */
final class Strays {

  private static final Logger LOGGER = LoggerFactory.getLogger(Strays.class);

  private final ProcessTable table;
  private final AttemptMarks marks;
  private final GroupKiller killer;
  private final Duration timeout;

  /**
   * Looks for one node's strays.
   *
   * @param timeout longer than the killer's bound; exceeded only if its timer was closed
   */
  Strays(ProcessTable table, AttemptMarks marks, GroupKiller killer, Duration timeout) {
    this.table = table;
    this.marks = marks;
    this.killer = killer;
    this.timeout = timeout;
  }

  /** The result of a sweep: all processes it tried to kill, and those that survived the bound. */
  record Sweep(Map<Long, AttemptId> found, List<ProcessEntry> survivors) {}

  /** Kills all processes of the attempts; blocks until they have ended or the bound has passed. */
  Sweep kill(Predicate<AttemptId> attempts) {
    Map<Long, AttemptId> found = new ConcurrentHashMap<>();
    CompletableFuture<List<ProcessEntry>> survivors = new CompletableFuture<>();
    killer.kill(
        () -> {
          Map<ProcessEntry, AttemptId> now = find(attempts);
          now.forEach((entry, id) -> note(entry, id, found));
          return List.copyOf(now.keySet());
        },
        survivors::complete);
    try {
      List<ProcessEntry> left = survivors.orTimeout(timeout.toMillis(), MILLISECONDS).join();
      return new Sweep(Map.copyOf(found), left);
    } catch (CompletionException closed) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "the execution node was stopped during the search for stray processes; start it again",
          closed);
    }
  }

  /** The same without waiting. */
  void killSoon(Predicate<AttemptId> attempts, Runnable done) {
    Map<Long, AttemptId> found = new ConcurrentHashMap<>();
    killer.kill(
        () -> {
          Map<ProcessEntry, AttemptId> now = find(attempts);
          now.forEach((entry, id) -> note(entry, id, found));
          return List.copyOf(now.keySet());
        },
        survivors -> {
          if (!survivors.isEmpty()) {
            LOGGER.warn("stray processes could not be killed: {}", survivors);
          }
          done.run();
        });
  }

  private static void note(ProcessEntry entry, AttemptId id, Map<Long, AttemptId> found) {
    if (found.put(entry.pid(), id) == null) {
      LOGGER.warn(
          "killing stray process {} (group {}) of attempt {}", entry.pid(), entry.group(), id);
    }
  }

  private Map<ProcessEntry, AttemptId> find(Predicate<AttemptId> attempts) {
    Map<ProcessEntry, AttemptId> found = new HashMap<>();
    for (ProcessEntry entry : table.alive()) {
      table.attemptOf(entry.pid(), marks).filter(attempts).ifPresent(id -> found.put(entry, id));
    }
    return found;
  }
}
